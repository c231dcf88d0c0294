import type { SearchPlan } from '../../plan.js';
import type { Layout } from '../../schema.js';
import type { StoredRecord, Written } from '../../types.js';
import type { Connection } from './connection.js';
import { type PageEnd, Reader } from './read.js';
import { connect, prepareTables } from './tables.js';
import { Writer } from './write.js';

/** What a thread is started with. */
export interface SessionOptions {
  readonly location: string;
  readonly layouts: readonly Layout[];
  readonly role: 'writer' | 'reader';
  readonly now: number;
}

/** Everything a thread can be asked for; entities are named by their tables. */
export interface Session {
  write(table: string, connectorId: string, records: readonly StoredRecord[]): Written;
  remove(table: string, connectorId: string, ids: readonly string[]): number;
  disown(connectorId: string): void;
  sweep(): number | undefined;
  search(table: string, connectorId: string, plan: SearchPlan): PageEnd;
  get(table: string, connectorId: string, ids: readonly string[]): string;
  records(table: string, connectorId: string, after: string, limit: number): string;
  ids(table: string, connectorId: string, after: string, limit: number): string[];
  count(table: string, connectorId: string): number;
  connectors(): string[];
  close(): void;
}

/** One connection and all that it is asked for; `hand` takes the records of a search as they come. */
export function openSession(
  { location, layouts, role, now }: SessionOptions,
  hand: (records: string) => void,
): Session {
  const connection = connect(location, role);
  try {
    if (role === 'writer') prepareTables(connection, layouts, now);
    return sessionOn(connection, layouts, role, hand);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function sessionOn(
  connection: Connection,
  layouts: readonly Layout[],
  role: SessionOptions['role'],
  hand: (records: string) => void,
): Session {
  const reader = new Reader(connection);
  const writer = new Writer(connection);
  const byTable = new Map(layouts.map((layout) => [layout.table, layout]));
  const of = (table: string): Layout => byTable.get(table)!;
  return {
    write: (table, connectorId, records) => writer.write(of(table), connectorId, records),
    remove: (table, connectorId, ids) => writer.remove(of(table), connectorId, ids),
    disown: (connectorId) => writer.disown(connectorId),
    sweep: () => writer.sweep(layouts),
    search: (table, connectorId, plan) => reader.search(of(table), connectorId, plan, hand),
    get: (table, connectorId, ids) => reader.get(of(table), connectorId, ids),
    records: (table, connectorId, after, limit) => reader.records(of(table), connectorId, after, limit),
    ids: (table, connectorId, after, limit) => reader.ids(of(table), connectorId, after, limit),
    count: (table, connectorId) => reader.count(of(table), connectorId),
    connectors: () => reader.connectors(),
    close() {
      // What was learnt of the tables helps the next one that opens the file.
      if (role === 'writer') connection.exec('pragma analysis_limit = 400; pragma optimize');
      connection.close();
    },
  };
}
