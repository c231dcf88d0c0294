import { type Condition, operatorsOf, takesList } from '../data/filter.js';
import { wordsOf } from '../data/record.js';
import { texts } from '../texts/index.js';
import { Select } from './select.js';

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
      <Select
        control={{ 'aria-label': texts.search.field }}
        value={field}
        options={fields.map((each) => [each, wordsOf(each)])}
        choose={(next) => {
          const allowed = operatorsOf(types[next] ?? '').map(([each]) => each);
          set({ field: next, operator: allowed.includes(operator) ? operator : (allowed[0] ?? 'eq'), text: '' });
        }}
      />
      <Select
        control={{ 'aria-label': texts.search.operator }}
        value={operator}
        options={operators}
        choose={(next) => set({ operator: next })}
      />
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
