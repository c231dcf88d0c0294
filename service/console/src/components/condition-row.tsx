import { type Condition, operatorsOf } from '../data/filter.js';

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
      <legend class="hidden">Condition {number}</legend>
      <select
        aria-label="Field"
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
        aria-label="Operator"
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
        <select aria-label="Value" value={text} onChange={({ currentTarget }) => set({ text: currentTarget.value })}>
          <option value="">choose</option>
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input
          aria-label="Value"
          placeholder={operator === 'in' || operator === 'any' ? 'one, two' : type}
          value={text}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      )}
      {remove ? (
        <button type="button" class="plain" onClick={remove} aria-label={`Remove condition ${number}`}>
          Remove
        </button>
      ) : null}
    </fieldset>
  );
}
