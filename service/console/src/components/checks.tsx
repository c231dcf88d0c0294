interface PicksProps<Name extends string> {
  readonly names: readonly Name[];
  readonly chosen: readonly Name[];
  readonly choose: (names: readonly Name[]) => void;
  /** What a name is called; the name itself by default. */
  readonly titleOf?: (name: Name) => string;
  /** Whether at least one must stay selected. */
  readonly keepOne?: boolean;
}

/** Checkboxes for a list of names; the selection keeps the order of the list. */
export const Picks = <Name extends string>({ names, titleOf, chosen, choose, keepOne = false }: PicksProps<Name>) => (
  <div class="picks">
    {names.map((name) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={chosen.includes(name)}
          disabled={keepOne && chosen.length === 1 && chosen.includes(name)}
          onChange={({ currentTarget: { checked } }) =>
            choose(names.filter((one) => (one === name ? checked : chosen.includes(one))))
          }
        />{' '}
        {titleOf ? <span title={name}>{titleOf(name)}</span> : name}
      </label>
    ))}
  </div>
);

interface ChecksProps<Name extends string> extends PicksProps<Name> {
  readonly legend: string;
  readonly help?: string;
}

/** The same checkboxes, as a form group. */
export const Checks = <Name extends string>({ legend, help, ...picks }: ChecksProps<Name>) => (
  <fieldset>
    <legend>{legend}</legend>
    {help === undefined ? null : <p class="help">{help}</p>}
    <Picks {...picks} />
  </fieldset>
);
