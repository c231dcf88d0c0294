import { type Condition, operatorsOf, takesList } from '../data/filter.js';
import { texts } from '../texts/index.js';

interface ConditionRowProps {
  readonly condition: Condition;
  readonly number: number;
  readonly fields: readonly string[];
  readonly types: Readonly<Record<string, string>>;
  readonly set: (change: Partial<Condition>) => void;
  readonly remove: (() => void) | undefined;
}

/** One condition: field, operator and value. */
export function ConditionRow({ condition, number, fields, types, set, remove }: ConditionRowProps) {
  const { field, operator, text } = condition;
  const type = types[field] ?? 'string';
  const operators = operatorsOf(type);
  return (
    <fieldset class="condition">
      <legend class="hidden">{texts.search.condition(number)}</legend>
      <select
        aria-label={texts.search.field}
        value={field}
        onChange={({ currentTarget: { value } }) => {
          const allowed = operatorsOf(types[value] ?? '').map(([each]) => each);
          set({ field: value, operator: allowed.includes(operator) ? operator : (allowed[0] ?? 'eq'), text: '' });
        }}
      >
        {fields.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <select
        aria-label={texts.search.operator}
        value={operator}
        onChange={({ currentTarget }) => set({ operator: currentTarget.value })}
      >
        {operators.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      {type === 'boolean' ? (
        <select
          aria-label={texts.search.value}
          value={text}
          onChange={({ currentTarget }) => set({ text: currentTarget.value })}
        >
          <option value="">{texts.search.chooseValue}</option>
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input
          aria-label={texts.search.value}
          placeholder={takesList(operator) ? texts.search.several : (texts.search.types[type] ?? type)}
          value={text}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      )}
      {remove ? (
        <button type="button" class="plain" onClick={remove} aria-label={texts.search.removeCondition(number)}>
          {texts.search.remove}
        </button>
      ) : null}
    </fieldset>
  );
}
