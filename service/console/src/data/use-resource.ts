import { useCallback, useEffect, useState } from 'preact/hooks';

/** Something that is fetched: on its way, here, or refused. */
export type Resource<T> = { readonly reload: () => void } & (
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'done'; readonly data: T }
);

type LoadState<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'done'; readonly data: T };

/** Fetches something when a page is shown, and anew when what it depends on changes. */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): Resource<T> {
  const [loadState, setLoadState] = useState<LoadState<T>>({ state: 'loading' });
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((before) => before + 1), []);
  useEffect(() => {
    const aborting = new AbortController();
    // What is shown already stays until the new comes, so that nothing jumps.
    load(aborting.signal).then(
      (data) => aborting.signal.aborted || setLoadState({ state: 'done', data }),
      (error: Error) => aborting.signal.aborted || setLoadState({ state: 'failed', error }),
    );
    return () => aborting.abort();
  }, [version, ...dependencies]);
  return { ...loadState, reload };
}
