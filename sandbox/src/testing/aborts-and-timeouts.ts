import { ConnectorError } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { asTableRows, isBodiless, type LocalAction, prepareTrial, type Subject } from './subject.js';
import { flushEventLoop, waitUntil } from './time.js';

/** Longer than any test can take, so a call that ends must have been aborted. */
const hangMs = 600_000;

/** Tests calls of the sampled actions that end before the vendor has responded. */
export function testAbortsAndTimeouts(subject: Subject, sample: Promise<readonly LocalAction[]>): void {
  const slowFaultsOf = async (localAction: LocalAction) =>
    (await isBodiless(subject, localAction)) ? (['slow_headers'] as const) : (['slow_headers', 'slow_body'] as const);

  const errorCodeOf = async (call: Promise<unknown>) => {
    const error = await call.catch((thrown: unknown) => thrown);
    if (!ConnectorError.is(error)) throw error;
    return error.code;
  };

  describe('aborts and timeouts', async () => {
    const actions = asTableRows(await sample);

    test.each(actions)('%s sends no request if already aborted', async (_, localAction) => {
      const { sandbox, run } = await prepareTrial(subject, localAction);
      expect(await errorCodeOf(run({ signal: AbortSignal.abort() }))).toBe('aborted');
      expect(sandbox.requests).toHaveLength(0);
    });

    test.each(actions)('%s stops when aborted while waiting for headers or a body', async (_, localAction) => {
      // The outcome of a write that has been sent is unknown.
      const abortCodes = localAction.reads ? ['aborted'] : ['aborted', 'unknown_outcome'];
      for (const kind of await slowFaultsOf(localAction)) {
        const { sandbox, run } = await prepareTrial(subject, localAction);
        sandbox.faults.add({ kind, ms: hangMs });
        const controller = new AbortController();
        const call = errorCodeOf(run({ signal: controller.signal }));
        await waitUntil(() => sandbox.requests.length === 1);
        await flushEventLoop();
        controller.abort();
        expect(abortCodes, kind).toContain(await call);
        expect(sandbox.requests).toHaveLength(1);
      }
    });

    test.each(actions)('%s stops when its overall or per-attempt timeout expires', async (_, localAction) => {
      const timeoutCodes = localAction.reads ? ['timeout'] : ['timeout', 'unknown_outcome'];
      for (const kind of await slowFaultsOf(localAction)) {
        for (const limit of ['timeoutMs', 'attemptTimeoutMs'] as const) {
          const { sandbox, run } = await prepareTrial(subject, localAction, { [limit]: 20, retries: 0 });
          sandbox.faults.add({ kind, ms: hangMs, count: Number.POSITIVE_INFINITY });
          expect(timeoutCodes, `${kind}, ${limit}`).toContain(await errorCodeOf(run()));
        }
      }
    });
  });
}
