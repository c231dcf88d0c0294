interface PicksProps<Name extends string> {
  readonly names: readonly Name[];
  readonly chosen: readonly Name[];
  readonly choose: (names: readonly Name[]) => void;
  /** Whether at least one must stay selected. */
  readonly keepOne?: boolean;
}

/** Checkboxes for a list of names; the selection keeps the order of the list. */
export const Picks = <Name extends string>({ names, chosen, choose, keepOne = false }: PicksProps<Name>) => (
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
        {name}
      </label>
    ))}
  </div>
);

/** The same checkboxes, as a form group. */
export const Checks = <Name extends string>({ legend, ...picks }: PicksProps<Name> & { readonly legend: string }) => (
  <fieldset>
    <legend>{legend}</legend>
    <Picks {...picks} />
  </fieldset>
);
