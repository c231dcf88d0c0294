/** Default time limit of a search, in milliseconds. */
export const defaultSearchTimeoutMs = 10_000;

/** A search exceeded its time limit. */
export class SearchTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`The search did not finish within ${timeoutMs / 1000} s.`);
  }
}

/** A search was not started, because its caller has too many searches waiting. */
export class SearchNotStarted extends Error {}

const maxWaitMs = 30_000;

/** How long searches can wait for their turn; without a limit, searches whose caller is gone would still run. */
export const searchWaitingLimit = {
  ms: maxWaitMs,
  error: () =>
    new SearchNotStarted(
      `The search was not started within ${maxWaitMs / 1000} s, because too many others were waiting.`,
    ),
};
