import { columnsOf, type Fields, isEmpty, wordsOf } from '../data/record.js';
import { Markdown } from './markdown.js';
import { Value } from './value.js';

/** Whether a string is prose rather than a value. */
const isProse = (value: unknown): value is string =>
  typeof value === 'string' && (value.length > 200 || value.includes('\n'));

function fieldsOf(record: Fields): string[] {
  const names = columnsOf([record]).filter((name) => !isEmpty(record[name]));
  return [...names.filter((name) => isProse(record[name])), ...names.filter((name) => !isProse(record[name]))];
}

/** The non-empty fields of a record: prose first, as Markdown, and ids last. */
export const RecordView = ({ record }: { readonly record: Fields }) => (
  <dl class="record">
    {fieldsOf(record).map((name) => (
      <div key={name}>
        <dt title={name}>{wordsOf(name)}</dt>
        <dd>{isProse(record[name]) ? <Markdown text={record[name]} /> : <Value of={record[name]} />}</dd>
      </div>
    ))}
  </dl>
);
