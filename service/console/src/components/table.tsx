import type { ComponentChildren } from 'preact';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly numeric?: boolean;
  /** Whether it comes first in a compact row on phones. */
  readonly lead?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string;
  readonly class?: string;
}

/** A table; on phones, each row becomes a card with labels. */
export const Table = <Row,>({ caption, columns, rows, keyOf, class: name = '' }: TableProps<Row>) =>
  rows.length === 0 ? null : (
    <table class={`cards ${name}`}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, numeric }) => (
            <th key={title} scope="col" class={numeric ? 'numeric' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)}>
            {columns.map(({ title, cell, numeric, lead }) => {
              const content = cell(row);
              const names = [numeric ? 'numeric' : lead ? 'lead' : '', content === '–' ? 'none' : ''];
              return (
                <td key={title} data-title={title} class={names.join(' ').trim() || undefined}>
                  {content}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
