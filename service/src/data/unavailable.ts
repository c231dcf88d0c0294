/** Primary result codes of SQLite: busy, locked, I/O error, full disk, cannot open. https://sqlite.org/rescode.html */
const sqliteCodes: ReadonlySet<number> = new Set([5, 6, 10, 13, 14]);
const busyCode = 5;

/** SQLite's messages for these codes: the npm package gives no code for errors of `all`. */
const codesByMessage: Readonly<Record<string, number>> = {
  'database is locked': busyCode,
  'database table is locked': 6,
  'disk I/O error': 10,
  'database or disk is full': 13,
  'unable to open database file': 14,
};

/** Primary result code of a SQLite error; undefined for others. */
function sqliteCodeOf(error: Error): number | undefined {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code !== 'ERR_SQLITE_ERROR') return undefined;
  return typeof errcode === 'number' ? errcode & 0xff : codesByMessage[error.message];
}

/**
 * Lost connections, missing resources, shutdowns, and transactions that waited too long for a lock or for this process.
 * While a server crashes, statements also end with I/O errors (58030) and internal errors (XX000):
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const postgresState = /^(08|53|57P0|55P03|25P03|58030|XX000)/;

const socketCodes: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** `pg` client errors that can only be identified by message, because they have no code. */
const clientMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Thrown when a table has been replaced by a process that runs another version; a retry may reach that process. */
export class ReplacedTableError extends Error {}

/** Thrown when a thread's database failed for a temporary reason; errors lose their codes on the way between threads. */
export class StoreUnavailableError extends Error {}

/** Whether another connection is writing to a SQLite database. */
export const isBusy = (error: unknown): boolean => error instanceof Error && sqliteCodeOf(error) === busyCode;

/** Whether a database failed for a temporary reason, either before changing anything or while unreachable. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ReplacedTableError || error instanceof StoreUnavailableError) return true;
  const { code, severity, syscall } = error as unknown as Readonly<Record<string, unknown>>;
  if (code === 'ERR_SQLITE_ERROR') return sqliteCodes.has(sqliteCodeOf(error) ?? -1);
  // A database that is not accepting connections, for example while an administrator works on it.
  if (severity === 'FATAL' && code === '55000') return true;
  if (severity !== undefined) return typeof code === 'string' && postgresState.test(code);
  return (syscall !== undefined && socketCodes.has(code)) || clientMessages.test(error.message);
}

/** How Citus reports that it cannot reach a node. */
const nodeDown =
  /connection to the remote node|could not establish any connections to the node|failed to execute task/i;

/** The likely cause of such a failure, in a sentence. */
export function causeOfOutage(error: unknown): string {
  const { message, code, severity } = error as { message?: unknown; code?: unknown; severity?: unknown };
  const text = String(message);
  if (nodeDown.test(text)) return 'The node of the cluster that stores these records is down; others are not affected.';
  if (code === '53100' || text.includes('disk is full')) return 'The disk is full.';
  if (code === 'ERR_SQLITE_ERROR' || error instanceof StoreUnavailableError) {
    return 'The database file is locked, or the disk is full or failing.';
  }
  return severity === undefined
    ? 'The connection to the database was lost, or it does not accept any.'
    : 'The database is starting, stopping, or has too much to do.';
}
