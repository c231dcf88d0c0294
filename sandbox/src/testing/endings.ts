import { ConnectorError } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { byName, isBodiless, type LocalAction, localActions, type Subject, trial } from './subject.js';
import { settling, until } from './time.js';

/** Longer than any test may take: what ends was ended, and did not come to its end. */
const forever = 600_000;

/** Calls that are over before the vendor has answered. */
export function testEndings(subject: Subject): void {
  const actions = byName(localActions(subject));
  const slow = async (tried: LocalAction) =>
    (await isBodiless(subject, tried)) ? (['slow_headers'] as const) : (['slow_headers', 'slow_body'] as const);

  const ended = async (call: Promise<unknown>) => {
    const error = await call.catch((thrown: unknown) => thrown);
    if (!ConnectorError.is(error)) throw error;
    return error.code;
  };

  describe('ends', () => {
    test.each(actions)('%s without a request when it was aborted before', async (_, tried) => {
      const { sandbox, run } = await trial(subject, tried);
      expect(await ended(run({ signal: AbortSignal.abort() }))).toBe('aborted');
      expect(sandbox.requests).toHaveLength(0);
    });

    test.each(actions)('%s when it is aborted while headers or a body do not come', async (_, tried) => {
      // Of a write that has been sent nobody knows what became of it.
      const stopped = tried.reads ? ['aborted'] : ['aborted', 'unknown_outcome'];
      for (const kind of await slow(tried)) {
        const { sandbox, run } = await trial(subject, tried);
        sandbox.faults.add({ kind, ms: forever });
        const controller = new AbortController();
        const call = ended(run({ signal: controller.signal }));
        await until(() => sandbox.requests.length === 1);
        await settling();
        controller.abort();
        expect(stopped, kind).toContain(await call);
        expect(sandbox.requests).toHaveLength(1);
      }
    });

    test.each(actions)('%s when its time, or that of an attempt, is up', async (_, tried) => {
      const late = tried.reads ? ['timeout'] : ['timeout', 'unknown_outcome'];
      for (const kind of await slow(tried)) {
        for (const limit of ['timeoutMs', 'attemptTimeoutMs'] as const) {
          const { sandbox, run } = await trial(subject, tried, { [limit]: 20, retries: 0 });
          sandbox.faults.add({ kind, ms: forever, count: Number.POSITIVE_INFINITY });
          expect(late, `${kind}, ${limit}`).toContain(await ended(run()));
        }
      }
    });
  });
}
