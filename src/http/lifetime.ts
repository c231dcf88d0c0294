import { ConnectorError } from '../errors/connector-error.js';

let latest = 0;
let setBackMs = 0;

/** `Date.now()`, except that it never decreases: a clock that is set back must not prolong a wait. */
export function steadyNow(): number {
  const now = Date.now();
  if (now < latest) setBackMs += latest - now;
  latest = now;
  return now + setBackMs;
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Listens to a signal once for all calls: Node reports the eleventh listener as a leak. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let all = listeners.get(signal);
  if (!all) {
    const callbacks = new Set<() => void>();
    signal.addEventListener('abort', () => callbacks.forEach((each) => void each()), { once: true });
    listeners.set(signal, callbacks);
    all = callbacks;
  }
  const callbacks = all.add(callback);
  return () => void callbacks.delete(callback);
}

/** A call's lifetime: a deadline, and the caller's signal. All of the call's waits go through it. */
export class Lifetime {
  readonly #endsAt: number;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = steadyNow() + timeoutMs;
    this.#signal = signal;
  }

  /** Milliseconds left; 0 once the signal is aborted. */
  remaining(): number {
    return this.#signal?.aborted ? 0 : Math.max(0, this.#endsAt - steadyNow());
  }

  /** Throws if the call is over. */
  check(): void {
    if (this.#signal?.aborted) throw this.#aborted();
    if (this.remaining() === 0) throw this.#timedOut();
  }

  /** Waits, unless the call ends first. */
  sleep(ms: number): Promise<void> {
    return this.within((signal) => {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      });
    });
  }

  /**
   * Runs `work` within the call's lifetime, and within `timeoutMs` if that is shorter; the signal passed to it is
   * aborted when the time is over.
   */
  within<T>(work: (signal: AbortSignal) => Promise<T>, timeoutMs = Number.POSITIVE_INFINITY): Promise<T> {
    const signal = this.#signal;
    if (signal?.aborted) return Promise.reject(this.#aborted());
    const remaining = this.remaining();
    if (remaining === 0) return Promise.reject(this.#timedOut());
    const controller = new AbortController();
    return new Promise<T>((resolve, reject) => {
      const finish = (error: ConnectorError | undefined) => {
        clearTimeout(timer);
        unsubscribe?.();
        if (!error) return;
        // A fetch that ignores its signal must not block the call.
        reject(error);
        controller.abort(error);
      };
      const timedOut = () =>
        timeoutMs < remaining ? new ConnectorError('timeout', `No response within ${timeoutMs} ms.`) : this.#timedOut();
      const timer = setTimeout(() => finish(timedOut()), Math.min(timeoutMs, remaining));
      const unsubscribe = signal && onAbort(signal, () => finish(this.#aborted()));
      work(controller.signal)
        .then(resolve, reject)
        .finally(() => finish(undefined));
    });
  }

  /** A signal that is aborted with the call's error when the call is over; `unsubscribe` stops watching. */
  watch(): { readonly signal: AbortSignal; readonly unsubscribe: () => void } {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(this.#timedOut()), this.remaining());
    const abort = () => controller.abort(this.#aborted());
    if (this.#signal?.aborted) abort();
    const unsubscribe = this.#signal && onAbort(this.#signal, abort);
    return {
      signal: controller.signal,
      unsubscribe() {
        clearTimeout(timer);
        unsubscribe?.();
      },
    };
  }

  #aborted(): ConnectorError {
    return new ConnectorError('aborted', 'The call was aborted by its signal.', { cause: this.#signal?.reason });
  }

  #timedOut(): ConnectorError {
    return new ConnectorError('timeout', `The call did not finish within ${this.#timeoutMs} ms.`, {
      hint: 'Increase timeoutMs or request less data.',
    });
  }
}
