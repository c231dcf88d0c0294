import { uncertainCodes } from '../../call/batch.js';
import type { ErrorCode } from '../../errors/connector-error.js';
import type { ActionDescription } from '../../manifest/describe.js';
import type { ToolResult } from '../../tools/agent-tools.js';
import { visibleText } from '../../tools/fence.js';
import { missingLines } from '../../tools/render/missing.js';
import { objectOf } from '../../tools/render/text.js';
import { type SearchAllHit, type ShownHit, shownHit } from '../../tools/search-tool.js';
import type { Member } from '../../tools/toolset.js';

/** A column of a table; `numeric` columns of a report are its measures. */
interface Column {
  readonly name: string;
  readonly numeric: boolean;
}

interface Table {
  readonly columns: readonly Column[];
  readonly rows: ReadonlyArray<readonly string[]>;
}

interface Hit {
  readonly title: string;
  readonly url: string | null;
  /** Where it is from, when, and by whom. */
  readonly facts: string;
  readonly text: string;
}

/** What the page shows of a result; all texts may come from a vendor. */
export type View = { readonly notes: readonly string[] } & (
  | ({ readonly kind: 'report' | 'table'; readonly title: string } & Table)
  | { readonly kind: 'hits'; readonly title: string; readonly hits: readonly Hit[] }
  /** The outcome of each write, in order. */
  | { readonly kind: 'write'; readonly writes: ReadonlyArray<{ readonly text: string }> }
);

/** The call whose result is shown. */
export interface ViewedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly connector: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const max = { rows: 400, columns: 12, characters: 500 };

/** A value as short, visible text. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const { text } = visibleText(typeof value === 'object' ? JSON.stringify(value) : String(value));
  return text.length > max.characters ? `${text.slice(0, max.characters)}…` : text;
}

/** What to show of a result; undefined if it has only text, for example because it was truncated. */
export function viewOf(
  { tool, args, connector }: ViewedCall,
  { data, isError }: ToolResult,
  members: readonly Member[],
): View | undefined {
  const result = objectOf(data);
  if (tool === 'execute_write') return writeView(result, isError);
  if (isError || !result) return undefined;
  const meta = objectOf(result.meta) ?? {};
  const notes = notesOf(meta);
  if (Array.isArray(result.hits)) return hitsView('Search', result.hits as ShownHit[], notes);
  const { entity, action, params } = objectOf(args) ?? {};
  const member = members.find(({ key }) => key === connector);
  const described = actionOf(member, entity, action);
  if (!member || !described || !Array.isArray(result.data)) return undefined;
  const title = `${member.fullDescription.title}: ${String(entity).replaceAll('_', ' ')}`;
  const records = result.data as readonly unknown[];
  if (records.length > 0 && records.every(isHit)) {
    const prompt = String(objectOf(objectOf(params)?.semantic)?.prompt ?? '');
    const all = records.map((record) =>
      shownHit({ ...record, connector: { name: member.key }, entity_name: `${entity}` }, prompt),
    );
    return hitsView(title, all, notes);
  }
  const report = described.layout?.columns && reportOf(records, meta, described.layout.columns);
  if (report) return { kind: 'report', title, notes, ...report };
  const table = tableOf(records.slice(0, max.rows));
  return table && { kind: 'table', title, notes: [...notes, ...cutNote(records.length)], ...table };
}

const actionOf = (member: Member | undefined, entity: unknown, action: unknown): ActionDescription | undefined =>
  member?.allowed.entities.find(({ name }) => name === entity)?.actions.find(({ name }) => name === action);

const isHit = (record: unknown): record is SearchAllHit =>
  objectOf(objectOf(record)?.entity) !== undefined && typeof objectOf(objectOf(record)?.metadata)?.context === 'string';

const notesOf = ({ missing, notes }: Fields): string[] =>
  [...(missingLines(missing) ?? []), ...(Array.isArray(notes) ? notes : [])].map(textOf);

const cutNote = (rows: number): string[] => (rows > max.rows ? [`The first ${max.rows} of ${rows} rows.`] : []);

function hitsView(title: string, hits: readonly ShownHit[], notes: readonly string[]): View {
  const shown = hits.map(({ title: name, url, connector, entity, id, date, person, snippet }) => ({
    title: textOf(name ?? `${connector}/${entity} ${id ?? ''}`),
    url,
    facts: [`${connector}/${entity}`, date, person]
      .filter((fact) => fact)
      .map(textOf)
      .join(' · '),
    text: textOf(snippet.replaceAll('**', '')),
  }));
  return { kind: 'hits', title, notes, hits: shown };
}

/** A report's rows under their column names. A column with a type is a measure, as vendors type only these. */
function reportOf(
  records: readonly unknown[],
  meta: Fields,
  layout: Readonly<Record<string, string>>,
): Table | undefined {
  const groups = Object.entries(layout).map(([field, key]) => {
    const headers = Array.isArray(meta[key]) ? (meta[key] as unknown[]).map(objectOf) : [];
    return { field, headers };
  });
  const columns = groups.flatMap(({ headers }) =>
    headers.map((header) => ({ name: textOf(header?.name), numeric: typeof header?.type === 'string' })),
  );
  const rows = records.slice(0, max.rows).map((record) =>
    groups.flatMap(({ field }) => {
      const values = objectOf(record)?.[field];
      return Array.isArray(values) ? values.map((value) => textOf(objectOf(value)?.value)) : [];
    }),
  );
  const isWhole = rows.length > 0 && rows.every(({ length }) => length === columns.length);
  return isWhole && columns.some(({ numeric }) => numeric) ? { columns, rows } : undefined;
}

/** Records by their fields, nested ones by dotted names. */
function tableOf(records: readonly unknown[]): Table | undefined {
  const rows = records.map((record) => new Map(cellsOf(objectOf(record) ?? { value: record }, '')));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const filled = names.filter((name) => rows.some((row) => textOf(row.get(name)) !== '')).slice(0, max.columns);
  if (filled.length === 0) return undefined;
  const columns = filled.map((name) => ({
    name: textOf(name),
    numeric: rows.every((row) => typeof (row.get(name) ?? 0) === 'number'),
  }));
  return { columns, rows: rows.map((row) => filled.map((name) => textOf(row.get(name)))) };
}

const cellsOf = (record: Fields, path: string): Array<[name: string, value: unknown]> =>
  Object.entries(record).flatMap(([key, value]): Array<[string, unknown]> => {
    const inner = objectOf(value);
    return inner && path === '' ? cellsOf(inner, `${key}.`) : [[path + key, value]];
  });

const outcomes: Readonly<Record<string, string>> = {
  done: 'Done.',
  pending: 'Waiting for approval: nothing was sent.',
  failed: 'Failed.',
  unknown: 'The outcome is unknown.',
  not_sent: 'Not sent.',
};

function writeView(result: Fields | undefined, isError: boolean): View {
  const { results, status, message, code } = result ?? {};
  const text = (state: unknown) => outcomes[String(state)] ?? String(outcomes.failed);
  if (Array.isArray(results)) {
    return { kind: 'write', notes: [], writes: results.map((each) => ({ text: text(objectOf(each)?.status) })) };
  }
  const isPending = status === 'pending';
  const state = isPending ? status : !isError ? 'done' : uncertainCodes.has(code as ErrorCode) ? 'unknown' : 'failed';
  const notes = isError ? [textOf(message ?? code)] : [];
  return { kind: 'write', notes: notes.filter((note) => note !== ''), writes: [{ text: text(state) }] };
}
