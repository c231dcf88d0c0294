import { columnsOf, type Fields, isEmpty, isId, wordsOf } from '../data/record.js';
import { texts } from '../texts/index.js';
import { Markdown } from './markdown.js';
import { Value } from './value.js';

/** Whether a string is prose rather than a value. */
const isProse = (value: unknown): value is string =>
  typeof value === 'string' && (value.length > 200 || value.includes('\n'));

function fieldsOf(record: Fields): string[] {
  const names = columnsOf([record]).filter((name) => !isEmpty(record[name]));
  return [...names.filter((name) => isProse(record[name])), ...names.filter((name) => !isProse(record[name]))];
}

/** The non-empty fields of a record: prose first, as Markdown, and the ids of other records folded away. */
export function RecordView({ record }: { readonly record: Fields }) {
  const names = fieldsOf(record);
  const ids = names.filter((name) => name !== 'id' && isId(name));
  const rest = names.filter((name) => !ids.includes(name));
  if (rest.length === 0) return <FieldList record={record} names={ids} />;
  return (
    <>
      <FieldList record={record} names={rest} />
      {ids.length === 0 ? null : (
        <details>
          <summary>{texts.otherIds(ids.length)}</summary>
          <FieldList record={record} names={ids} />
        </details>
      )}
    </>
  );
}

const FieldList = ({ record, names }: { readonly record: Fields; readonly names: readonly string[] }) => (
  <dl class="record">
    {names.map((name) => (
      <div key={name}>
        <dt title={name}>{wordsOf(name)}</dt>
        <dd>{isProse(record[name]) ? <Markdown text={record[name]} /> : <Value of={record[name]} />}</dd>
      </div>
    ))}
  </dl>
);
