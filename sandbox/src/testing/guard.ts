import { ConnectorError } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { byName, localActions, type Subject, trial } from './subject.js';

/** What a connector was told not to do. */
export function testGuard(subject: Subject): void {
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'success',
      (error: unknown) => ConnectorError.is(error) && error.code,
    );

  describe('lets nothing out', () => {
    test.each(byName(localActions(subject)))('of %s that a read-only connector may not do', async (_, tried) => {
      const { sandbox, run } = await trial(subject, tried, { readOnly: true });
      expect(await refusal(run())).toBe(tried.reads ? 'success' : 'denied_by_policy');
      if (!tried.reads) expect(sandbox.requests).toHaveLength(0);
    });

    test.each(byName(localActions(subject)))('of %s that is not allowed', async (_, tried) => {
      const { sandbox, run } = await trial(subject, tried, { allow: [] });
      expect(await refusal(run())).toBe('denied_by_policy');
      expect(sandbox.requests).toHaveLength(0);
    });
  });
}
