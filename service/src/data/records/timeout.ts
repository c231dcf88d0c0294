/** Default time limit of a search, in milliseconds. */
export const defaultSearchTimeoutMs = 10_000;

/** A search exceeded its time limit. */
export class SearchTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`The search did not finish within ${timeoutMs / 1000} s.`);
  }
}
