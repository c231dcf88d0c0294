import { useState } from 'preact/hooks';
import { Code } from './code.js';
import { Empty } from './notice.js';
import { Switch } from './switch.js';
import { duration } from './time.js';

/** The result of an action. */
export interface Outcome {
  readonly data: unknown;
  readonly meta: object;
  readonly ms: number;
}

type Row = Readonly<Record<string, unknown>>;

const maxColumns = 8;
const maxRows = 200;
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A result as a table if its records allow one, else as JSON. */
export function ResultView({ outcome: { data, meta, ms } }: { readonly outcome: Outcome }) {
  const [view, setView] = useState<'table' | 'json'>('table');
  const rows = (Array.isArray(data) ? data : [data]).map(flattenHit);
  const isList = Array.isArray(data);
  const tabular = rows.every(isRow);
  return (
    <section class="result" aria-label="Result">
      <div class="title">
        <h2>Result</h2>
        <span class="quiet">
          {isList ? `${data.length} record${data.length === 1 ? '' : 's'} in ` : ''}
          {duration(ms)}
        </span>
        {tabular ? (
          <Switch
            class="push"
            label="Result view"
            value={view}
            options={[
              ['table', 'Table'],
              ['json', 'JSON'],
            ]}
            choose={setView}
          />
        ) : null}
      </div>
      {isList && data.length === 0 ? (
        <Empty title="No results">
          <p>Try other parameters.</p>
        </Empty>
      ) : tabular && view === 'table' ? (
        <Rows rows={rows as readonly Row[]} single={!isList} />
      ) : (
        <Code label="Data" text={JSON.stringify(data, null, 2)} />
      )}
      {Object.keys(meta).length > 0 ? <Code label="Meta" text={JSON.stringify(meta, null, 2)} /> : null}
    </section>
  );
}

/** A search hit contains its record in `entity`. */
const flattenHit = (row: unknown): unknown =>
  isRow(row) && isRow(row.entity) && isRow(row.metadata) ? { ...row.entity, ...row.metadata } : row;

function Rows({ rows, single }: { readonly rows: readonly Row[]; readonly single: boolean }) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (single) {
    const [row = {}] = rows;
    return (
      <dl class="record">
        {names.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Value of={row[name]} />
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  // Plain values are more readable in a cell than objects.
  const weight = (name: string) => rows.filter((row) => row[name] !== null && !isPlain(row[name])).length;
  const columns = names
    .map((name, index) => ({ name, index, heavy: weight(name) > rows.length / 2 }))
    .sort((one, other) => Number(one.heavy) - Number(other.heavy) || one.index - other.index)
    .slice(0, maxColumns)
    .map(({ name }) => name);
  const hidden = names.length - columns.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section class="scroll" tabIndex={0} aria-label="Records">
      <table class="cards dense">
        <caption>
          {hidden > 0
            ? `${columns.length} of ${names.length} fields. The JSON view shows all.`
            : `${names.length} fields`}
          {rows.length > maxRows ? ` First ${maxRows} of ${rows.length} records.` : ''}
        </caption>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map((row, index) => (
            <tr key={String(row.id ?? index)}>
              {columns.map((name) => (
                <td key={name} data-title={name}>
                  <Value of={row[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;
const maxLength = 160;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

/** A value in a cell. Long values can be expanded. */
function Value({ of }: { readonly of: unknown }) {
  if (of === null || of === undefined) return <span class="quiet">–</span>;
  const label = isRow(of) ? (of.name ?? of.title ?? of.displayName) : undefined;
  if (typeof label === 'string') return <span title={JSON.stringify(of)}>{label}</span>;
  if (typeof of === 'string' && instant.test(of)) {
    return (
      <time dateTime={of} title={of}>
        {of.slice(0, 16).replace('T', ' ')}
      </time>
    );
  }
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  if (text.length <= maxLength) return <span>{text}</span>;
  return (
    <details>
      <summary>{text.slice(0, maxLength)}…</summary>
      {text}
    </details>
  );
}
