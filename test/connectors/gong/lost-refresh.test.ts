import { GongConnector } from 'agent-connectors/gong';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { failure } from '../../failure.js';

test('does not repeat a refresh whose response was lost, and explains the rejection that follows', async () => {
  const sandbox = createSandbox({ seed: 7 });
  sandbox.faults.add({ kind: 'reset_after', path: '/oauth2/' });
  const gong = new GongConnector({ credentials: sandbox.vendors.gong.credentials.oauth, fetch: sandbox.fetch });

  const lost = await failure(gong.users.list({}));
  expect([lost.code, lost.retryable]).toEqual(['network', false]);
  expect(lost.hint).toContain('single-use');
  expect(sandbox.requests).toHaveLength(1);

  const refused = await failure(gong.users.list({}));
  expect(refused.code).toBe('invalid_credentials');
  expect(refused.hint).toMatch(/were lost.*Authorize the application again/);
});

test('rejects a numeric id and explains why', async () => {
  const sandbox = createSandbox({ seed: 7 });
  const gong = new GongConnector({ credentials: sandbox.vendors.gong.credentials.basic, fetch: sandbox.fetch });
  const error = await failure(gong.execute('calls', 'get', JSON.parse('{ "id": 7090104479288841137 }')));
  expect(error.issues).toEqual([{ path: 'id', message: 'must be a string: a number would lose precision' }]);
});
