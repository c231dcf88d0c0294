interface SwitchProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: ReadonlyArray<readonly [value: Value, title: string]>;
  readonly choose: (value: Value) => void;
  readonly class?: string;
}

/** A choice of two or three views. */
export const Switch = <Value extends string>({
  label,
  value,
  options,
  choose,
  class: name = '',
}: SwitchProps<Value>) => (
  <fieldset class={`switch ${name}`}>
    <legend class="hidden">{label}</legend>
    {options.map(([each, title]) => (
      <button key={each} type="button" class="plain" aria-pressed={each === value} onClick={() => choose(each)}>
        {title}
      </button>
    ))}
  </fieldset>
);
