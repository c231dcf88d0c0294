/** Milliseconds that one search may run, unless the store is opened with another number. */
export const defaultSearchTimeoutMs = 10_000;

/** A search has run for as long as it may. */
export class SearchTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`The search did not finish within ${timeoutMs / 1000} s.`);
  }
}
