import { ConnectorError } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { asTableRows, localActions, prepareTrial, type Subject } from './subject.js';

/** Tests the connector's policy options. */
export function testPolicy(subject: Subject): void {
  const errorCodeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'success',
      (error: unknown) => ConnectorError.is(error) && error.code,
    );

  describe('sends nothing', () => {
    test.each(asTableRows(localActions(subject)))('for %s on a read-only connector', async (_, localAction) => {
      const { sandbox, run } = await prepareTrial(subject, localAction, { readOnly: true });
      expect(await errorCodeOf(run())).toBe(localAction.reads ? 'success' : 'denied_by_policy');
      if (!localAction.reads) expect(sandbox.requests).toHaveLength(0);
    });

    test.each(asTableRows(localActions(subject)))('for %s if it is not allowed', async (_, localAction) => {
      const { sandbox, run } = await prepareTrial(subject, localAction, { allow: [] });
      expect(await errorCodeOf(run())).toBe('denied_by_policy');
      expect(sandbox.requests).toHaveLength(0);
    });
  });
}
