import { useCallback, useEffect, useState } from 'preact/hooks';

/** Something that is fetched: on its way, here, or refused. */
export type Loaded<T> = { readonly reload: () => void } & (
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'done'; readonly data: T }
);

type Outcome<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'done'; readonly data: T };

/** Fetches something when a page is shown, and anew when what it depends on changes. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, depends: readonly unknown[]): Loaded<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>({ state: 'loading' });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    const aborting = new AbortController();
    // What is shown already stays until the new comes, so that nothing jumps.
    load(aborting.signal).then(
      (data) => aborting.signal.aborted || setOutcome({ state: 'done', data }),
      (error: Error) => aborting.signal.aborted || setOutcome({ state: 'failed', error }),
    );
    return () => aborting.abort();
  }, [turn, ...depends]);
  return { ...outcome, reload };
}
