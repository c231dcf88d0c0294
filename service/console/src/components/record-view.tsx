import type { ComponentChildren } from 'preact';
import { type Fields, headingOf, isProse, partsOf } from '../data/record.js';
import { texts } from '../texts/index.js';
import { Markdown } from './markdown.js';
import { Value } from './value.js';

interface RecordViewProps {
  readonly record: Fields;
  /** Shown after the record's texts. */
  readonly children?: ComponentChildren;
}

/** A record: the fields that most readers look for, its texts as Markdown, and the other fields folded away. */
export function RecordView({ record, children }: RecordViewProps) {
  const { texts: prose, main, more } = partsOf(record);
  return (
    <div class="sheet">
      <div class="facts">
        <FieldList record={record} names={main} />
        {more.length === 0 ? null : (
          <details>
            <summary>{texts.moreFields(more.length)}</summary>
            <FieldList record={record} names={more} />
          </details>
        )}
      </div>
      {prose.length === 0 && !children ? null : (
        <div class="texts">
          {prose.map((name) => (
            <section key={name} aria-label={headingOf(name)}>
              <h3 title={name}>{headingOf(name)}</h3>
              <Markdown text={String(record[name])} />
            </section>
          ))}
          {children}
        </div>
      )}
    </div>
  );
}

const FieldList = ({ record, names }: { readonly record: Fields; readonly names: readonly string[] }) => (
  <dl class="record">
    {names.map((name) => (
      <div key={name}>
        <dt title={name}>{headingOf(name)}</dt>
        <dd>{isProse(record[name]) ? <Markdown text={record[name]} /> : <Value of={record[name]} />}</dd>
      </div>
    ))}
  </dl>
);
