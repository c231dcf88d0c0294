import { useRef, useState } from 'preact/hooks';
import { columnsOf, type Fields, headingOf } from '../data/record.js';
import { Link } from '../router.js';
import { texts } from '../texts/index.js';
import { Value } from './value.js';

const maxRows = 200;
const foldedRows = 25;

interface RecordTableProps {
  readonly rows: readonly Fields[];
  /** The columns; the first 6 by default. */
  readonly columns?: readonly string[] | undefined;
  /** The first column's link to the record's page. */
  readonly linkOf?: ((row: Fields) => string | undefined) | undefined;
  /** Whether a button shows the rows after the first 25. */
  readonly folded?: boolean;
}

/** Records as a table: title and state first, ids last. */
export function RecordTable({ rows, columns, linkOf, folded = false }: RecordTableProps) {
  const [unfolded, setUnfolded] = useState(false);
  const scrolled = useRef<HTMLElement>(null);
  const names = columnsOf(rows);
  const visible = columns ?? names.slice(0, 6);
  const numeric = new Set(visible.filter((name) => isNumeric(rows, name)));
  const all = Math.min(rows.length, maxRows);
  const isFolded = folded && !unfolded && all > foldedRows;
  const table = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard-accessible.
    <section ref={scrolled} class="scroll" tabIndex={0} aria-label={texts.tabs.records}>
      <table class="cards lines compact">
        <caption class={columns && rows.length <= maxRows ? 'hidden' : undefined}>
          {texts.result.fields(visible.length, names.length)}
          {rows.length > maxRows ? ` ${texts.result.firstRows(maxRows, rows.length)}` : ''}
        </caption>
        <thead>
          <tr>
            {visible.map((name) => (
              <th key={name} scope="col" title={name} class={numeric.has(name) ? 'numeric' : undefined}>
                {headingOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, isFolded ? foldedRows : maxRows).map((row, index) => (
            <tr key={String(row.id ?? index)}>
              {visible.map((name, column) => (
                <td
                  key={name}
                  data-title={headingOf(name)}
                  class={numeric.has(name) ? 'numeric' : column === 0 ? 'lead' : undefined}
                >
                  <Cell value={row[name]} link={column === 0 ? linkOf?.(row) : undefined} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
  return (
    <>
      {table}
      {isFolded ? (
        <button
          type="button"
          class="plain"
          onClick={() => {
            setUnfolded(true);
            scrolled.current?.focus();
          }}
        >
          {texts.result.showAll(all)}
        </button>
      ) : null}
    </>
  );
}

/** Whether a column has only numbers, which are then aligned at their last digit. */
const isNumeric = (rows: readonly Fields[], name: string): boolean =>
  rows.some((row) => typeof row[name] === 'number') &&
  rows.every((row) => typeof row[name] === 'number' || row[name] === null || row[name] === undefined);

const Cell = ({ value, link }: { readonly value: unknown; readonly link: string | undefined }) =>
  link === undefined ? (
    <Value of={value} brief />
  ) : (
    <Link to={link}>
      {(typeof value === 'string' ? value : value ? JSON.stringify(value) : '').slice(0, 160) || texts.untitled}
    </Link>
  );
