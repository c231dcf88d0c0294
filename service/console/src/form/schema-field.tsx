import { useState } from 'preact/hooks';
import { Field } from '../components/field.js';
import { Select } from '../components/select.js';
import { wordsOf } from '../data/record.js';
import { texts } from '../texts/index.js';
import { controlKind, type JsonSchema, parseNumber, unwrapNullable, withValue } from './schema.js';

interface SchemaFieldProps {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly value: unknown;
  /** Called with undefined if the field is empty. */
  readonly change: (value: unknown) => void;
}

const multilineNames = /description|body|content|text|markdown|summary|query|^q$/i;

/** A parameter's label, followed by its name if the two differ. */
function ParamLabel({ name }: { readonly name: string }) {
  const label = texts.run.paramLabels[name];
  if (label === undefined) return <span title={name}>{wordsOf(name)}</span>;
  return (
    <>
      {label} <code class="quiet">{name}</code>
    </>
  );
}

/** The control for one parameter, derived from its schema. */
function SchemaField({ name, schema: given, required, value, change }: SchemaFieldProps) {
  const schema = unwrapNullable(given);
  const kind = controlKind(schema);
  const label = <ParamLabel name={name} />;
  const shared = { label, required, ...(schema.description && { help: schema.description }) };
  if (kind === 'object') {
    return <ObjectField name={name} schema={schema} required={required} value={value} change={change} />;
  }
  if (kind === 'json') return <JsonField {...shared} value={value} change={change} />;
  if (kind === 'enum' || kind === 'boolean') {
    const options = kind === 'boolean' ? [true, false] : (schema.enum ?? []);
    return (
      <Field {...shared}>
        {(control) => (
          <Select
            control={control}
            value={value === undefined ? '' : String(options.indexOf(value))}
            options={[
              ['', required ? texts.run.choose : texts.run.notSet],
              ...options.map((option, index) => [String(index), String(option)] as const),
            ]}
            choose={(next) => change(next === '' ? undefined : options[Number(next)])}
          />
        )}
      </Field>
    );
  }
  if (kind === 'list') {
    const lines = Array.isArray(value) ? value.join('\n') : '';
    return (
      <Field {...shared} help={`${schema.description ?? ''} ${texts.run.onePerLine}`.trim()}>
        {(control) => (
          <textarea
            {...control}
            rows={Math.min(6, lines.split('\n').length + 1)}
            defaultValue={lines}
            onInput={({ currentTarget }) => {
              const items = currentTarget.value.split('\n').filter((line) => line.trim() !== '');
              change(items.length > 0 ? items : undefined);
            }}
          />
        )}
      </Field>
    );
  }
  const text = value === undefined ? '' : String(value);
  const set = (typed: string) => change(kind === 'number' ? parseNumber(typed) : typed === '' ? undefined : typed);
  return (
    <Field {...shared}>
      {(control) =>
        kind === 'text' && multilineNames.test(name) ? (
          <textarea {...control} rows={3} value={text} onInput={({ currentTarget }) => set(currentTarget.value)} />
        ) : (
          <input
            {...control}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => set(currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

/** An object; an optional one is collapsed, since a vendor's filter can have hundreds of fields. */
function ObjectField({ name, schema, required, value, change }: SchemaFieldProps) {
  const [isOpen, setOpen] = useState(value !== undefined);
  const inner = value as Readonly<Record<string, unknown>> | undefined;
  const description = schema.description ? <p class="help">{schema.description}</p> : null;
  if (!required) {
    return (
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <ParamLabel name={name} />
        </summary>
        {description}
        {isOpen ? <SchemaFields schema={schema} value={inner} change={change} /> : null}
      </details>
    );
  }
  return (
    <fieldset>
      <legend>
        <ParamLabel name={name} />
        <span class="required"> {texts.required}</span>
      </legend>
      {description}
      <SchemaFields schema={schema} value={inner} change={change} />
    </fieldset>
  );
}

interface SchemaFieldsProps {
  readonly schema: JsonSchema;
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly change: (value: Record<string, unknown> | undefined) => void;
}

/** Controls for all parameters, required ones first. */
export function SchemaFields({ schema, value, change }: SchemaFieldsProps) {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  const ordered = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ];
  return (
    <>
      {ordered.map((name) => (
        <SchemaField
          key={name}
          name={name}
          schema={properties[name] ?? {}}
          required={required.includes(name)}
          value={value?.[name]}
          change={(next) => change(withValue(value, name, next))}
        />
      ))}
    </>
  );
}

interface JsonFieldProps {
  readonly label: preact.ComponentChildren;
  readonly help?: string;
  readonly required?: boolean;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly rows?: number;
}

/** A JSON value. While the input is invalid, the last valid value is kept. */
export function JsonField({ label, help, required = false, value, change, rows = 4 }: JsonFieldProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [parseError, setParseError] = useState<string>();
  const set = (typed: string) => {
    setText(typed);
    if (typed.trim() === '') {
      setParseError(undefined);
      return change(undefined);
    }
    try {
      change(JSON.parse(typed));
      setParseError(undefined);
    } catch (error) {
      setParseError((error as Error).message);
    }
  };
  return (
    <Field
      label={label}
      required={required}
      help={parseError ? texts.run.invalidJson(parseError) : `${help ?? ''} JSON.`.trim()}
    >
      {(control) => (
        <textarea
          {...control}
          class="mono"
          rows={rows}
          spellcheck={false}
          aria-invalid={parseError !== undefined}
          value={text}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </Field>
  );
}
