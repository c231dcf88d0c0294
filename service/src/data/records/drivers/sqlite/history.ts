import { randomBytes } from 'node:crypto';
import type { Connection } from '../../../sqlite.js';
import { type ChangeHead, deletedState, nextHead, type RecordState, unknownContent } from '../../changes/history.js';
import type { ChangeEntry, HistoryPart, HistoryRequest } from '../../changes/page.js';
import { type Layout, quoteIdentifier } from '../../schema.js';

/** Openings of the store that are kept, so that their cursors stay valid. */
const maxOpenings = 1000;

/** Records which records a transaction has changed; call only within the transaction that changes them. */
export class HistoryWriter {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  put({ table }: Layout, connector: number, states: readonly RecordState[], at: number): void {
    const [newest, forgotten] = [newestIn(this.#connection), forgottenIn(this.#connection, connector, table)];
    let n = newest;
    for (const state of states) {
      const before = this.#connection.get<ChangeHead>(
        'select n, id, at, content, visible from changes where connector = ? and entity = ? and id = ?',
        [connector, table, state.id],
      );
      const head = nextHead(before, state, { n: n + 1, at, forgotten });
      if (!head) continue;
      n = head.n;
      if (before) {
        const values = [connector, table, before.n, before.id, before.at, n];
        this.#connection.run('insert into change_moves values (?, ?, ?, ?, ?, ?)', values);
      }
      this.#connection.run(
        'insert or replace into changes (n, connector, entity, id, at, content, visible) values (?, ?, ?, ?, ?, ?, ?)',
        [n, connector, table, head.id, at, head.content, head.visible],
      );
    }
  }

  /** Deletes what is older; returns whether there may be more to delete. */
  forget(before: number, limit: number): boolean {
    return this.#connection.writeTransaction(() => {
      const feeds = this.#connection.all<{ connector: number; entity: string }>(
        'select distinct connector, entity from changes',
      );
      let more = false;
      for (const { connector, entity } of feeds) {
        const forgotten = this.#connection.get<{ n: number }>(
          'select n from changes where connector = ? and entity = ? and at < ? order by n desc limit 1',
          [connector, entity, before],
        )?.n;
        if (forgotten === undefined) continue;
        this.#connection.run(
          `insert into change_feeds values (?, ?, ?)
            on conflict (connector, entity) do update set forgotten = max(forgotten, excluded.forgotten)`,
          [connector, entity, forgotten],
        );
        const values = [connector, entity, forgotten, limit];
        const deleted = [
          `delete from changes where n in (select n from changes
            where connector = ? and entity = ? and content = '' and n <= ? limit ?)`,
          `delete from change_moves where rowid in (select rowid from change_moves
            where connector = ? and entity = ? and moved <= ? limit ?)`,
        ].map((sql) => this.#connection.run(sql, values).changes);
        more ||= deleted.includes(limit);
      }
      return more;
    });
  }

  /** Deletes one batch of a connector's history; returns whether there was anything to delete. */
  drop(connector: number, limit: number): boolean {
    const deleted = ['changes', 'change_moves', 'change_feeds'].map(
      (table) =>
        this.#connection.run(
          `delete from ${table} where rowid in (select rowid from ${table} where connector = ? limit ?)`,
          [connector, limit],
        ).changes,
    );
    return deleted.some((count) => count > 0);
  }

  readers({ table }: Layout, connectorId: string): string[] {
    return this.#connection
      .all<{ reader: string }>(
        `select distinct holder.key as reader from changes, json_each(changes.visible) as holder
          where entity = ? and holder.key <> ''
            and connector = (select number from connectors where connector_id = ?)`,
        [table, connectorId],
      )
      .map(({ reader }) => reader);
  }

  forgetReaders({ table }: Layout, connectorId: string, readers: readonly string[]): void {
    const holders = (condition: string) =>
      `from json_each(changes.visible) as holder where holder.key ${condition} (select value from json_each(?1))`;
    this.#connection.run(
      `update changes set visible = (select json_group_object(holder.key, json(holder.value)) ${holders('not in')})
        where entity = ?2 and connector = (select number from connectors where connector_id = ?3)
          and exists (select 1 ${holders('in')})`,
      [JSON.stringify(readers), table, connectorId],
    );
  }

  /** Records as deleted what a replaced table no longer contains. */
  settle(layout: Layout, connectorId: string, at: number): void {
    this.#connection.writeTransaction(() => {
      const find = 'select number from connectors where connector_id = ?';
      const connector = this.#connection.get<{ number: number }>(find, [connectorId])?.number;
      if (connector === undefined) return;
      const gone = this.#connection.all<{ id: string }>(
        `select c.id from changes c where c.connector = ? and c.entity = ? and c.content <> '' and not exists
          (select 1 from ${quoteIdentifier(layout.table)} r where r.connector = c.connector and r.id = c.id)`,
        [connector, layout.table],
      );
      const deleted = gone.map(({ id }) => deletedState(id));
      this.put(layout, connector, deleted, at);
    });
  }
}

const newestIn = (connection: Connection): number =>
  connection.get<{ n: number }>(`select seq as n from sqlite_sequence where name = 'changes'`)?.n ?? 0;

const forgottenIn = (connection: Connection, connector: number, entity: string): number =>
  connection.get<{ forgotten: number }>('select forgotten from change_feeds where connector = ? and entity = ?', [
    connector,
    entity,
  ])?.forgotten ?? 0;

/** Reads part of a collection's history. */
export function readHistory(
  connection: Connection,
  { table }: Layout,
  connector: number | undefined,
  { after, asOf, opening, limit }: HistoryRequest,
): HistoryPart {
  return connection.readTransaction(() => {
    const newest = newestIn(connection);
    const latest = connection.get<{ id: string }>('select id from change_openings order by number desc limit 1')!;
    const known = connection.get<{ last: number | null }>(
      `select (select l.newest from change_openings l where l.number > o.number order by l.number limit 1) as last
        from change_openings o where o.id = ?`,
      [opening ?? ''],
    );
    const own = { newest, opening: latest.id, lastOfOpening: known && (known.last ?? newest) };
    if (connector === undefined) return { ...own, forgotten: 0, entries: [], heads: [] };
    const from = asOf ?? newest;
    const entries = connection.all<ChangeEntry>(
      `select n, id, at from changes where connector = ?1 and entity = ?2 and n > ?3
        union all
        select n, id, at from change_moves
          where connector = ?1 and entity = ?2 and n > ?3 and (n > ?4 or moved > ?4)
        order by n limit ?5`,
      [connector, table, after, from, limit],
    );
    const heads = connection.all<ChangeHead>(
      `select n, id, at, content, visible from changes where connector = ? and entity = ?
        and id in (select value from json_each(?))`,
      [connector, table, JSON.stringify([...new Set(entries.map(({ id }) => id))])],
    );
    return { ...own, forgotten: forgottenIn(connection, connector, table), entries, heads };
  });
}

/** Records that the store was opened: cursors from after a backup are then unknown to a copy restored from it. */
export function noteOpening(connection: Connection): void {
  connection.run('insert into change_openings (id, newest) values (?, ?)', [
    randomBytes(9).toString('base64url'),
    newestIn(connection),
  ]);
  connection.run('delete from change_openings where number <= (select max(number) from change_openings) - ?', [
    maxOpenings,
  ]);
}

/** Adds the records that were stored before there was a history. */
export function addStoredRecords(connection: Connection, layouts: readonly Layout[], at: number): void {
  const stored = new Set(connection.all<{ name: string }>('select name from entities').map(({ name }) => name));
  for (const { table, readers } of layouts) {
    if (!stored.has(table)) continue;
    const holders = readers ? `json_extract(rest, '$.' || json_quote(?2))` : '?2';
    connection.run(
      `insert into changes (connector, entity, id, at, content, visible)
        select connector, ?1, id, ?3, '${unknownContent}', coalesce(${holders}, '[]') from ${quoteIdentifier(table)}`,
      [table, readers?.field ?? '[]', at],
    );
    connection.run(
      `update changes set visible = (select json_group_object(holder, json_array(n)) from (
          select '' as holder union select value from json_each(visible)))
        where entity = ?1`,
      [table],
    );
  }
}
