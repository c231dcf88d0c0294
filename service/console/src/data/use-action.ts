import { useState } from 'preact/hooks';

/** A button's action: whether it is running, and why it last failed. */
export interface Action {
  readonly busy: boolean;
  readonly error: Error | undefined;
  /** Resolves to true on success. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** Runs a page's actions one at a time. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure as Error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
