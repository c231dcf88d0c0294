interface ChecksProps<Name extends string> {
  readonly legend: string;
  readonly names: readonly Name[];
  readonly chosen: readonly Name[];
  readonly choose: (names: readonly Name[]) => void;
}

/** Some of several, in the order of all. */
export const Checks = <Name extends string>({ legend, names, chosen, choose }: ChecksProps<Name>) => (
  <fieldset>
    <legend>{legend}</legend>
    <div class="picks">
      {names.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              choose(names.filter((one) => (one === name ? checked : chosen.includes(one))))
            }
          />{' '}
          {name}
        </label>
      ))}
    </div>
  </fieldset>
);
