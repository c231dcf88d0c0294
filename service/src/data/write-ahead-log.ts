const timeoutMs = 10_000;
const pauseMs = 5;

/**
 * Has a database of SQLite's keep a write-ahead log, and gives the mode that it then has.
 *
 * It is asked again while another process opens the same new file: for this alone SQLite refuses at once instead of waiting.
 */
export function enableWriteAheadLog(query: (sql: string) => unknown): string | undefined {
  for (const end = Date.now() + timeoutMs; ; ) {
    try {
      return (query('PRAGMA journal_mode = WAL') as { readonly journal_mode: string } | undefined)?.journal_mode;
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('locked')) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
