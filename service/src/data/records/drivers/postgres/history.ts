import { randomBytes } from 'node:crypto';
import { type ChangeHead, deletedState, nextHead, type RecordState, unknownContent } from '../../changes/history.js';
import type { ChangeEntry, HistoryPart, HistoryRequest } from '../../changes/page.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import type { RunStatement } from './connection.js';
import { forCitus } from './row-security.js';

/** Openings of the store that are kept, so that their cursors stay valid. */
const maxOpenings = 1000;

const headColumns = 'n::float8 as n, id, at::float8 as at, content, visible';

/** Records which records a transaction has changed; it must have called `lockForWriting`. */
export async function putHistory(
  query: RunStatement,
  { table }: Layout,
  connector: number,
  states: readonly RecordState[],
  at: number,
): Promise<void> {
  if (states.length === 0) return;
  const found = await query<ChangeHead>(
    `select ${headColumns} from changes where connector = $1 and entity = $2 and id = any($3::text[])`,
    [connector, table, states.map(({ id }) => id)],
  );
  const known = new Map(found.map((head) => [head.id, head]));
  const newest = await newestIn(query);
  const forgotten = await forgottenIn(query, connector, table);
  let n = newest;
  const heads: ChangeHead[] = [];
  const moves: Array<ChangeHead & { readonly moved: number }> = [];
  for (const state of states) {
    const before = known.get(state.id);
    const head = nextHead(before, state, { n: n + 1, at, forgotten });
    if (!head) continue;
    n = head.n;
    heads.push(head);
    if (before) moves.push({ ...before, moved: n });
  }
  if (heads.length === 0) return;
  await query('update change_counter set n = $1', [n]);
  if (moves.length > 0) {
    await query(
      `insert into change_moves (connector, entity, n, id, at, moved)
        select $1::integer, $2::text, m.* from unnest($3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) as m
        ${forCitus}`,
      [connector, table, ...columns(moves, ['n', 'id', 'at', 'moved'])],
    );
  }
  await query(
    `insert into changes (connector, entity, n, id, at, content, visible)
      select $1::integer, $2::text, h.*
        from unnest($3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[]) as h
      on conflict (connector, entity, id) do update
        set n = excluded.n, at = excluded.at, content = excluded.content, visible = excluded.visible`,
    [connector, table, ...columns(heads, ['n', 'id', 'at', 'content', 'visible'])],
  );
}

const columns = <Row>(rows: readonly Row[], names: ReadonlyArray<keyof Row>): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]));

const newestIn = async (query: RunStatement): Promise<number> =>
  (await query<{ n: number }>('select n::float8 as n from change_counter'))[0]!.n;

const forgottenIn = async (query: RunStatement, connector: number, entity: string): Promise<number> => {
  const [row] = await query<{ forgotten: number }>(
    'select forgotten::float8 as forgotten from change_feeds where connector = $1 and entity = $2',
    [connector, entity],
  );
  return row?.forgotten ?? 0;
};

/** Records as deleted what a replaced table no longer contains. */
export async function settleHistory(query: RunStatement, layout: Layout, connector: number, at: number): Promise<void> {
  const gone = await query<{ id: string }>(
    `select c.id from changes c where c.connector = $1 and c.entity = $2 and c.content <> '' and not exists
      (select 1 from ${quoteIdentifier(layout.table)} r where r.connector = c.connector and r.id = c.id)`,
    [connector, layout.table],
  );
  const deleted = gone.map(({ id }) => deletedState(id));
  await putHistory(query, layout, connector, deleted, at);
}

/** Distinct readers in a connector's history of an entity. */
export async function historyReaders(query: RunStatement, { table }: Layout, connector: number): Promise<string[]> {
  const rows = await query<{ reader: string }>(
    `select distinct reader from changes, jsonb_object_keys(visible::jsonb) as reader
      where connector = $1 and entity = $2 and reader <> ''`,
    [connector, table],
  );
  return rows.map(({ reader }) => reader);
}

/** Removes readers from a connector's history of an entity. */
export async function forgetReaders(
  query: RunStatement,
  { table }: Layout,
  connector: number,
  readers: readonly string[],
): Promise<void> {
  await query(
    `update changes set visible = (visible::jsonb - $3::text[])::text
      where connector = $1 and entity = $2 and visible::jsonb ?| $3::text[]`,
    [connector, table, readers],
  );
}

/** Forgets a connector's deletions and intermediate changes before a time. */
export async function forgetChanges(query: RunStatement, connector: number, before: number): Promise<void> {
  await query(
    `insert into change_feeds (connector, entity, forgotten)
      select connector, entity, max(n) from changes where connector = $1 and at < $2 group by connector, entity
      on conflict (connector, entity) do update set forgotten = greatest(change_feeds.forgotten, excluded.forgotten)`,
    [connector, before],
  );
  await query(
    `delete from changes c using change_feeds f where c.connector = $1 and c.content = ''
      and f.connector = $1 and f.entity = c.entity and c.n <= f.forgotten`,
    [connector],
  );
  await query(
    `delete from change_moves m using change_feeds f where m.connector = $1
      and f.connector = $1 and f.entity = m.entity and m.moved <= f.forgotten`,
    [connector],
  );
}

/** Deletes a connector's history. */
export async function dropHistory(query: RunStatement, connector: number): Promise<void> {
  for (const table of ['changes', 'change_moves', 'change_feeds'])
    await query(`delete from ${table} where connector = $1`, [connector]);
}

/** Reads part of a collection's history; the transaction must have a single snapshot. */
export async function readHistory(
  query: RunStatement,
  { table }: Layout,
  connector: number | undefined,
  { after, asOf, opening, limit }: HistoryRequest,
): Promise<HistoryPart> {
  const newest = await newestIn(query);
  const [latest] = await query<{ id: string }>('select id from change_openings order by number desc limit 1');
  const [known] = await query<{ last: number | null }>(
    `select (select l.newest::float8 from change_openings l where l.number > o.number order by l.number limit 1) as last
      from change_openings o where o.id = $1`,
    [opening ?? ''],
  );
  const own = { newest, opening: latest!.id, lastOfOpening: known && (known.last ?? newest) };
  if (connector === undefined) return { ...own, forgotten: 0, entries: [], heads: [] };
  const entries = await query<ChangeEntry>(
    `select n::float8 as n, id, at::float8 as at from (
        (select n, id, at from changes where connector = $1 and entity = $2 and n > $3 order by n limit $5)
        union all
        (select n, id, at from change_moves
          where connector = $1 and entity = $2 and n > $3 and (n > $4 or moved > $4) order by n limit $5)) as entries
      order by n limit $5`,
    [connector, table, after, asOf ?? newest, limit],
  );
  const heads = await query<ChangeHead>(
    `select ${headColumns} from changes where connector = $1 and entity = $2 and id = any($3::text[])`,
    [connector, table, [...new Set(entries.map(({ id }) => id))]],
  );
  return { ...own, forgotten: await forgottenIn(query, connector, table), entries, heads };
}

/** Records that the store was opened: cursors from after a backup are then unknown to a copy restored from it. */
export async function noteOpening(query: RunStatement): Promise<void> {
  await query('insert into change_openings (id, newest) select $1, n from change_counter', [
    randomBytes(9).toString('base64url'),
  ]);
  await query('delete from change_openings where number <= (select max(number) from change_openings) - $1::integer', [
    maxOpenings,
  ]);
}

/** Adds the records that were stored before there was a history. */
export async function addStoredRecords(
  query: RunStatement,
  layouts: readonly Layout[],
  connectors: readonly number[],
  at: number,
): Promise<void> {
  const stored = new Set((await query<{ name: string }>('select name from entities')).map(({ name }) => name));
  for (const { table, readers } of layouts) {
    if (!stored.has(table)) continue;
    for (const connector of connectors) {
      const named = readers ? `case jsonb_typeof(rest -> $4) when 'array' then rest -> $4 else '[]' end` : `$4::jsonb`;
      const [row] = await query<{ count: number }>(
        `with added as (
          insert into changes (connector, entity, id, n, at, content, visible)
            select connector, $2, id, n, $3::bigint, '${unknownContent}',
                (select json_object_agg(holder, json_build_array(n))::text from (
                  select '' as holder union select jsonb_array_elements_text(holders)) as h)
              from (select connector, id, ${named} as holders,
                  (select c.n from change_counter c) + row_number() over () as n
                from ${quoteIdentifier(table)} where connector = $1) as records
            returning 1)
          select count(*)::integer as count from added`,
        [connector, table, at, readers?.field ?? '[]'],
      );
      await query('update change_counter set n = n + $1', [row!.count]);
    }
  }
}
