import { useState } from 'preact/hooks';
import { type Fields, isFields } from '../data/record.js';
import { texts } from '../texts/index.js';
import { Code } from './code.js';
import { Empty } from './notice.js';
import { RecordTable } from './record-table.js';
import { RecordView } from './record-view.js';
import { Switch } from './switch.js';
import { duration } from './time.js';

/** The result of an action. */
export interface Outcome {
  readonly data: unknown;
  readonly meta: object;
  readonly ms: number;
}

interface ResultViewProps {
  readonly outcome: Outcome;
  /** A record's page, if it has one. */
  readonly linkOf?: ((row: Fields) => string | undefined) | undefined;
}

/** A result as a table if its records allow it, otherwise as JSON. */
export function ResultView({ outcome: { data, meta, ms }, linkOf }: ResultViewProps) {
  const [view, setView] = useState<'table' | 'json'>('table');
  const rows = (Array.isArray(data) ? data : [data]).map(flattenHit);
  const isList = Array.isArray(data);
  const tabular = rows.every(isFields);
  return (
    <section class="result" aria-label={texts.result.title}>
      <div class="title">
        <h2>{texts.result.title}</h2>
        <span class="quiet">{isList ? texts.result.records(data.length, duration(ms)) : duration(ms)}</span>
        {tabular ? (
          <Switch
            class="push"
            label={texts.result.view}
            value={view}
            options={[
              ['table', texts.table],
              ['json', 'JSON'],
            ]}
            choose={setView}
          />
        ) : null}
      </div>
      {isList && data.length === 0 ? (
        <Empty title={texts.search.noResults}>
          <p>{texts.result.tryOther}</p>
        </Empty>
      ) : tabular && view === 'table' ? (
        isList ? (
          <RecordTable rows={rows as readonly Fields[]} linkOf={linkOf} folded />
        ) : (
          <RecordView record={rows[0] as Fields} />
        )
      ) : (
        <Code label={texts.result.data} text={JSON.stringify(data, null, 2)} />
      )}
      {Object.keys(meta).length > 0 ? (
        <details>
          <summary>{texts.result.meta}</summary>
          <Code label={texts.result.meta} text={JSON.stringify(meta, null, 2)} />
        </details>
      ) : null}
    </section>
  );
}

/** A search hit contains its record in `entity`. */
const flattenHit = (row: unknown): unknown =>
  isFields(row) && isFields(row.entity) && isFields(row.metadata) ? { ...row.entity, ...row.metadata } : row;
