/** The `fetch` of runtimes other than Node; looked up on each call, in case tests or tracers replace the global later. */
export const defaultFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
