import { GongConnector } from 'agent-connectors/gong';
import { expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { paramsAt } from './params.js';
import { connectorOnSandbox } from './setup.js';

const granted = ['api:users:read', 'api:calls:read:basic'];
const params = paramsAt(Date.parse('2026-09-15T15:00:00Z'), 99);
const actions = GongConnector.describe().entities.flatMap(({ name: entity, actions: all }) =>
  all.flatMap(({ name: action, scopes }) => (scopes ? [{ entity, action, scopes }] : [])),
);

test.each(actions.map((found) => [`${found.entity}.${found.action}`, found] as const))(
  '%s needs its scopes and no others',
  async (where, { entity, action, scopes }) => {
    const limits = { requestsPerSecond: 1_000 };
    const { gong } = connectorOnSandbox({ limits });
    const { gong: limited } = connectorOnSandbox({ mode: 'limited', limits });
    const given = await params[where]!(gong);
    const missing = scopes.flat().filter((scope) => !granted.includes(scope));
    if (missing.length === 0) {
      await limited.execute(entity as 'calls', action as 'list', given);
      return;
    }
    const error = await failure(limited.execute(entity as 'calls', action as 'list', given));
    expect(error.code).toBe('scope_missing');
    expect(missing.filter((scope) => error.message.includes(`${scope} scope`))).toHaveLength(1);
  },
);
