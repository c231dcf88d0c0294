import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { texts } from '../texts/index.js';
import { InlineCode } from './inline-code.js';
import { Select } from './select.js';

interface FieldProps {
  readonly label: ComponentChildren;
  readonly help?: ComponentChildren;
  readonly required?: boolean;
  /** Renders the control with these attributes. */
  readonly children: (control: { readonly id: string; readonly 'aria-describedby'?: string }) => ComponentChildren;
}

/** A control with its label and help. */
export function Field({ label, help, required = false, children }: FieldProps) {
  const id = useId();
  const helpId = `${id}-help`;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required ? <span class="required"> {texts.required}</span> : null}
      </label>
      {children({ id, ...(help ? { 'aria-describedby': helpId } : {}) })}
      {help ? (
        <p class="help" id={helpId}>
          {typeof help === 'string' ? <InlineCode text={help} /> : help}
        </p>
      ) : null}
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly help?: string;
  readonly type?: 'password' | 'search' | 'url';
  readonly name?: string;
  readonly autoComplete?: 'username' | 'current-password';
  readonly spellcheck?: boolean;
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** A text input. */
export const TextField = ({ label, help, change, ...attributes }: TextFieldProps) => (
  <Field label={label} help={help}>
    {/* An object, because Preact's types accept only one type of input at a time. */}
    {(control) => (
      <input {...control} {...(attributes as object)} onInput={({ currentTarget }) => change(currentTarget.value)} />
    )}
  </Field>
);

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: ReadonlyArray<readonly [value: string, title: string]>;
  readonly choose: (value: string) => void;
}

/** A select box with its label. */
export const Choice = ({ label, value, options, choose }: ChoiceProps) => (
  <Field label={label}>
    {(control) => <Select control={control} value={value} options={options} choose={choose} />}
  </Field>
);
