import { escapeText, quoteIdentifier } from '../../schema.js';
import type { RunStatement } from './connection.js';
import { distributeTable, isDistributed } from './distribute.js';
import { enterNumber, protectTables } from './row-security.js';

/** How vectors are stored: in pgvector columns, or as bytes compared in this process. */
export type VectorForm = 'halfvec' | 'bytes';

/** Where one embedder's vectors are stored. */
export interface VectorLocation {
  readonly embedder: number;
  readonly dimensions: number;
  readonly table: string;
}

/** Stores vectors of any length as bytes. */
const bytesTable = 'vectors_bytes';

/** Creates the index by which new vectors are read. */
const vectorsByRevision = `create index ${bytesTable}_by_revision on ${bytesTable} (connector, field, embedder, revision, passage)`;

/** Longest vector that pgvector can index. */
export const maxIndexedDimensions = 4000;
/** Vectors up to this length fit in a page, which makes them fastest to read. */
const maxInlineDimensions = 3900;
/** Serializes the creation of tables across processes. */
const tableLockId = 711_400_172;

/** Detects how to store vectors. pgvector is optional: without it, vectors are compared in this process. */
export async function vectorForm(query: RunStatement): Promise<VectorForm> {
  const [found] = await query<{ installed: string | null }>(
    `select installed_version as installed from pg_available_extensions where name = 'vector'`,
  );
  if (!found) return 'bytes';
  if (found.installed === null && !(await installed(query))) return 'bytes';
  const [row] = await query<{ version: string; known: boolean }>(
    `select extversion as version, to_regtype('halfvec') is not null as known from pg_extension where extname = 'vector'`,
  );
  const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number);
  // Before pgvector 0.8, a filtered index search returned almost nothing.
  return row?.known && (major > 0 || minor >= 8) ? 'halfvec' : 'bytes';
}

async function installed(query: RunStatement): Promise<boolean> {
  await query('savepoint extending');
  try {
    await query('create extension vector');
    return true;
  } catch {
    // Creating an extension may require superuser rights.
    await query('rollback to savepoint extending');
    return false;
  }
}

/** Deletes vectors stored in the other format; their passages are embedded again. */
export async function dropOtherForms(query: RunStatement, form: VectorForm): Promise<void> {
  const rows = await query<{ number: number }>(`select number from embedders where (kept_in = $1) <> ($2 = 'bytes')`, [
    bytesTable,
    form,
  ]);
  for (const { number } of rows) await dropEmbedder(query, number);
}

/** Deletes an embedder and its vectors. */
export async function dropEmbedder(query: RunStatement, embedder: number): Promise<void> {
  const [row] = await query<{ table: string }>('delete from embedders where number = $1 returning kept_in as table', [
    embedder,
  ]);
  const [exists] = await query('select 1 where to_regclass($1) is not null', [row && quoteIdentifier(row.table)]);
  if (row && exists)
    await query(`drop index if exists ${quoteIdentifier(vectorIndexName({ embedder, table: row.table }))}`);
  const tables = ['embedded', ...(row && exists ? [row.table] : [])];
  for (const { number } of await query<{ number: number }>('select number from connectors order by number')) {
    await enterNumber(query, number);
    for (const table of tables)
      await query(`delete from ${quoteIdentifier(table)} where connector = $1 and embedder = $2`, [number, embedder]);
  }
}

/** Where an embedder's vectors are stored, if any are stored. */
export async function findLocation(query: RunStatement, id: string): Promise<VectorLocation | undefined> {
  const [row] = await query<VectorLocation>(
    'select number as embedder, dimensions, kept_in as table from embedders where id = $1',
    [escapeText(id)],
  );
  return row;
}

/** Prepares the location for writing: creates it if needed and locks it against deletion. */
export async function ensureLocation(
  query: RunStatement,
  id: string,
  dimensions: number,
  form: VectorForm,
): Promise<VectorLocation> {
  let location = await findLocation(query, id);
  if (!location) {
    await query('select pg_advisory_xact_lock($1)', [tableLockId]);
    const table = form === 'bytes' ? bytesTable : `vectors_${dimensions}`;
    const [exists] = await query('select 1 where to_regclass($1) is not null', [quoteIdentifier(table)]);
    if (!exists) await createTable(query, table, form, dimensions);
    await query('insert into embedders (id, dimensions, kept_in) values ($1, $2, $3) on conflict do nothing', [
      escapeText(id),
      dimensions,
      table,
    ]);
    await protectTables(query);
    location = (await findLocation(query, id))!;
  }
  if (location.dimensions !== dimensions) {
    throw new Error(
      `The embedder ${id} now returns ${dimensions} dimensions instead of ${location.dimensions}: ` +
        'a changed embedder needs a new id.',
    );
  }
  const rows = await query('select 1 from embedders where number = $1 for key share', [location.embedder]);
  if (rows.length === 0) throw new Error(`The embedder ${id} was removed in the meantime.`);
  return location;
}

async function createTable(query: RunStatement, table: string, form: VectorForm, dimensions: number): Promise<void> {
  const type = form === 'bytes' ? 'bytea' : `halfvec(${dimensions})`;
  await query(`create table if not exists ${quoteIdentifier(table)} (
    connector integer not null, field integer not null, embedder integer not null, record bigint not null,
    passage bigint not null, vector ${type} not null${form === 'bytes' ? ', revision bigint not null default 0' : ''},
    primary key (connector, field, embedder, record, passage))`);
  if (form === 'bytes') await query(vectorsByRevision);
  if (form === 'halfvec' && dimensions <= maxInlineDimensions) {
    await query(`alter table ${quoteIdentifier(table)} alter column vector set storage plain`);
  }
  if (await isDistributed(query)) await distributeTable(query, table);
}

/** Name of an embedder's vector index. */
export const vectorIndexName = ({ embedder, table }: Pick<VectorLocation, 'embedder' | 'table'>): string =>
  `${table}_nearest_${embedder}`;

/** Scales a vector to length 1, so that every number fits in half precision. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum)) throw new Error('Vector contains NaN or Infinity.');
  const length = Math.sqrt(sum) || 1;
  return vector.map((value) => value / length);
}

/** A vector in pgvector's text format. */
export const encodeVectorText = (vector: Float32Array): string =>
  `[${Array.from(normalize(vector), (value) => value.toPrecision(6)).join(',')}]`;

/** A vector with one byte per number, preceded by the factor that scales it to length 1. */
export function encodeVectorBytes(vector: Float32Array): Buffer {
  const unit = normalize(vector);
  const largest = unit.reduce((maximum, value) => Math.max(maximum, Math.abs(value)), 0) || 1;
  const numbers = Int8Array.from(unit, (value) => Math.round((value / largest) * 127));
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0)) || 1;
  const bytes = Buffer.alloc(4 + numbers.length);
  bytes.writeFloatLE(1 / length);
  bytes.set(new Uint8Array(numbers.buffer), 4);
  return bytes;
}

/** Decodes the output of `encodeVectorText` or `encodeVectorBytes` to a vector of length 1. */
export function decodeVector(stored: string | Uint8Array): Float32Array {
  if (typeof stored === 'string') return normalize(Float32Array.from(JSON.parse(stored) as number[]));
  return normalize(Float32Array.from(new Int8Array(stored.buffer, stored.byteOffset + 4, stored.byteLength - 4)));
}

/** Cosine similarity between a vector and vectors encoded by `encodeVectorBytes`. */
export function cosineTo(vector: Float32Array): (bytes: Uint8Array) => number {
  const normalized = normalize(vector);
  return (bytes) => {
    const scale = new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true);
    const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + 4, bytes.byteLength - 4);
    let sum = 0;
    for (let index = 0; index < numbers.length; index++) sum += numbers[index]! * normalized[index]!;
    return sum * scale;
  };
}
