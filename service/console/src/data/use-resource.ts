import { useCallback, useEffect, useState } from 'preact/hooks';

/** A fetched resource: loading, loaded, or failed. */
export type Resource<T> = { readonly reload: () => void } & (
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'done'; readonly data: T }
);

type LoadState<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'done'; readonly data: T };

/** Fetches a resource when a page is shown, and again when its dependencies change. */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): Resource<T> {
  const [loadState, setLoadState] = useState<LoadState<T>>({ state: 'loading' });
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((before) => before + 1), []);
  useEffect(() => {
    const aborting = new AbortController();
    // Keeps showing the old data until the new data arrives, to avoid layout shifts.
    load(aborting.signal).then(
      (data) => aborting.signal.aborted || setLoadState({ state: 'done', data }),
      (error: Error) => aborting.signal.aborted || setLoadState({ state: 'failed', error }),
    );
    return () => aborting.abort();
  }, [version, ...dependencies]);
  return { ...loadState, reload };
}
