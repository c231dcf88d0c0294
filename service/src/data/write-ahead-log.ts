const timeoutMs = 10_000;
const pauseMs = 5;

/**
 * Switches a SQLite database to WAL mode and returns the resulting mode.
 *
 * Retried while another process opens the same new file: for this statement, SQLite fails immediately instead of waiting.
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
