import type { StoredRecord } from '../../entity.js';
import { bestOf, recordsOf } from '../../passages/ranking.js';
import type {
  EmbeddedPassage,
  FieldText,
  PassageCount,
  PassageScope,
  PassageText,
  PassageVector,
  RankedPassage,
  Shown,
  StoredText,
  UnembeddedPassage,
} from '../../passages/types.js';
import type { SearchPlan } from '../../plan.js';
import type { Layout } from '../../schema.js';
import type { Written } from '../../types.js';
import type { Connection } from './connection.js';
import { KeptVectors } from './kept-vectors.js';
import { Nearest } from './nearest.js';
import { PassageReader } from './passage-reader.js';
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

/** Passages, and the records that they are of as JSON. */
interface ReadTexts {
  readonly texts: PassageText[];
  readonly records: string;
}

/** Everything a thread can be asked for; entities are named by their tables. */
export interface Session {
  write(
    table: string,
    connectorId: string,
    records: readonly StoredRecord[],
    texts?: ReadonlyArray<readonly FieldText[]>,
  ): Written;
  remove(table: string, connectorId: string, ids: readonly string[]): number;
  disown(connectorId: string): void;
  sweep(): number | undefined;
  search(table: string, connectorId: string, plan: SearchPlan): PageEnd;
  get(table: string, connectorId: string, ids: readonly string[]): string;
  records(table: string, connectorId: string, after: string, limit: number): string;
  ids(table: string, connectorId: string, after: string, limit: number): string[];
  count(table: string, connectorId: string): number;
  connectors(): string[];
  lexical(table: string, scope: PassageScope, prompt: string): RankedPassage[];
  nearest(
    table: string,
    scope: PassageScope,
    embedder: string,
    vector: Float32Array,
    shown: Shown | undefined,
  ): { readonly ranking: RankedPassage[]; readonly read?: ReadTexts };
  passages(
    table: string,
    connectorId: string,
    passages: readonly number[],
    ids: readonly string[],
    size: number,
  ): ReadTexts;
  unembedded(embedder: string, limit: number): UnembeddedPassage[];
  embed(embedder: string, vectors: readonly PassageVector[]): void;
  texts(table: string, connectorId: string, ids: readonly string[]): StoredText[];
  vectors(passages: readonly number[]): EmbeddedPassage[];
  dimensions(embedder: string): number | undefined;
  forget(embedders: readonly string[]): boolean;
  passageCount(table: string, connectorId: string, field: string, embedder: string | undefined): PassageCount;
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
  const passages = new PassageReader(connection, reader, layouts);
  const nearest = new Nearest(connection, reader, passages);
  const kept = new KeptVectors(connection, passages);
  const byTable = new Map(layouts.map((layout) => [layout.table, layout]));
  const of = (table: string): Layout => byTable.get(table)!;
  const read: Session['passages'] = (table, connectorId, numbers, ids, size) => ({
    texts: passages.read(of(table), connectorId, numbers, size),
    records: reader.get(of(table), connectorId, ids),
  });
  return {
    write: (table, connectorId, records, texts) => writer.write(of(table), connectorId, records, texts),
    remove: (table, connectorId, ids) => writer.remove(of(table), connectorId, ids),
    disown: (connectorId) => writer.disown(connectorId),
    sweep: () => writer.sweep(layouts),
    search: (table, connectorId, plan) => reader.search(of(table), connectorId, plan, hand),
    get: (table, connectorId, ids) => reader.get(of(table), connectorId, ids),
    records: (table, connectorId, after, limit) => reader.records(of(table), connectorId, after, limit),
    ids: (table, connectorId, after, limit) => reader.ids(of(table), connectorId, after, limit),
    count: (table, connectorId) => reader.count(of(table), connectorId),
    connectors: () => reader.connectors(),
    lexical: (table, scope, prompt) => passages.lexical(of(table), scope, prompt),
    nearest: (table, scope, embedder, vector, shown) => {
      const ranking = nearest.find(of(table), scope, embedder, vector);
      const best = shown && bestOf(ranking, shown);
      if (!best || best.length === 0) return { ranking };
      const numbers = best.map(({ passage }) => passage);
      return { ranking, read: read(table, scope.connectorId, numbers, recordsOf(best), shown.contextSize) };
    },
    passages: read,
    unembedded: (embedder, limit) => passages.unembedded(embedder, limit),
    embed: (embedder, vectors) => writer.passages.embed(embedder, vectors),
    texts: (table, connectorId, ids) => kept.texts(of(table), connectorId, ids),
    vectors: (numbers) => kept.vectors(numbers),
    dimensions: (embedder) => kept.dimensions(embedder),
    forget: (embedders) => writer.passages.forget(embedders),
    passageCount: (table, connectorId, field, embedder) => passages.count(of(table), connectorId, field, embedder),
    close() {
      // What was learnt of the tables helps the next one that opens the file.
      if (role === 'writer') connection.exec('pragma analysis_limit = 400; pragma optimize');
      connection.close();
    },
  };
}
