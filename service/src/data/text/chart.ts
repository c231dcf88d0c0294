import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { cellFormat } from './number-formats.js';

/** Whether to include the series of charts, or only their titles, if the values are in the document's cells anyway. */
export type SeriesDetail = 'values' | 'titles';

/** Labels and values by the index of their point. */
interface Points {
  readonly texts: string[];
  format: string | undefined;
}

interface Series {
  readonly name: Points;
  readonly categories: Points;
  readonly values: Points;
}

const dimensions: Readonly<Record<string, keyof Series>> = {
  tx: 'name',
  cat: 'categories',
  xVal: 'categories',
  val: 'values',
  yVal: 'values',
};

/** Excel draws at most this many points per series. */
const maxPoints = 32_000;

/** A chart's title and other texts, and its series as a table. */
export async function chartText(source: string, detail: SeriesDetail): Promise<string> {
  const lines: string[] = [];
  const all: Series[] = [];
  const path: string[] = [];
  let line = '';
  let value = '';
  let index = 0;
  let length = 0;
  let points: Points | undefined;
  const empty = (): Points => ({ texts: [], format: undefined });
  await readMarkup(source, true, {
    open(name, attributes) {
      path.push(name);
      const series = path.includes('ser') ? all.at(-1) : undefined;
      if (name === 'ser') all.push({ name: empty(), categories: empty(), values: empty() });
      else if (series && path.at(-2) === 'ser' && dimensions[name]) points = series[dimensions[name]];
      else if (name === 'pt') index = Number(attributes.idx ?? 0);
      else if (name === 'br') line += ' ';
      value = '';
    },
    text(text) {
      const name = path.at(-1);
      if (name === 't') line += text;
      else if (name === 'v' || name === 'formatCode' || name === 'pt') value += text;
      length += text.length;
    },
    close(name) {
      path.pop();
      if (name === 'p') {
        if (line.trim() !== '') lines.push(line.trim());
        line = '';
      } else if (detail === 'titles' && name === 'v' && path.at(-1) === 'tx' && path.at(-2) === 'ser') {
        // Other names of series are in cells.
        lines.push(value.trim());
      } else if (name === 'formatCode' && points) points.format = value;
      else if (name === 'v' && points && index < maxPoints) {
        // The levels of a category follow each other, the innermost first.
        const inner = points.texts[index];
        points.texts[index] = inner === undefined ? value.trim() : `${value.trim()} ${inner}`;
      } else if (detail === 'values' && /^(?:v|pt)$/.test(name) && !path.includes('ser') && value.trim() !== '') {
        // Newer types of charts have no cached series but a list of data.
        lines.push(value.trim());
      } else if (name === 'ser' || (path.at(-1) === 'ser' && dimensions[name])) points = undefined;
      value = '';
    },
    length: () => length,
  });
  return [...new Set(lines), ...(detail === 'values' ? tableOf(all) : [])].join('\n');
}

/** A row per category; charts whose series have different categories have a row per series and category. */
function tableOf(all: readonly Series[]): string[] {
  const rows: string[] = [];
  const labels = all.map(({ categories }) => displayed(categories));
  const isShared = labels.every((list) => list.join('\n') === labels[0]!.join('\n'));
  const groups = isShared ? (all.length > 0 ? [all] : []) : all.map((series) => [series]);
  let length = 0;
  for (const group of groups) {
    const columns = group.map(({ values }) => displayed(values));
    const categories = displayed(group[0]!.categories);
    const names = group.map(({ name }) => name.texts.join(' '));
    if (names.some((name) => name !== '')) rows.push(names.filter((name) => name !== '').join(' | '));
    const count = Math.max(categories.length, ...columns.map((column) => column.length));
    for (let at = 0; at < count && !exceedsLimit(length); at += 1) {
      const row = [categories[at], ...columns.map((column) => column[at])].filter((text) => text).join(' | ');
      if (row !== '') rows.push(row);
      length += row.length + 1;
    }
  }
  return rows;
}

const displayed = ({ texts, format }: Points): string[] => {
  const { number } = cellFormat(format);
  return texts.map((text) => (text !== '' && Number.isFinite(Number(text)) ? number(text) : text));
};
