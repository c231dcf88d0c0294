import type { Sandbox } from 'agent-connectors-sandbox';
import type { Facts } from './facts.js';
import type { Requester } from './fill.js';

/** Two issues, each with a key: one has been created and acknowledged, the outcome of the other is unknown. */
export async function keyedWrites(ask: Requester, connector: string, sandbox: Sandbox): Promise<Facts['writes']> {
  const path = `/api/v1/integrations/connectors/${connector}/execute`;
  const teams = await ask('POST', path, { json: { entity: 'teams', action: 'list' } });
  const teamId = teams.body.result[0].id as string;
  const send = (key: string, title: string, expected: number) => {
    const params = { teamId, title };
    const json = { entity: 'issues', action: 'create', params };
    const sending = ask('POST', path, { json, headers: { 'idempotency-key': key }, expected });
    return sending.then(({ status, text, body }) => ({ key, connector, params, status, text, body }));
  };
  const { body: _, ...answered } = await send('answered', 'Made before the upgrade', 200);
  sandbox.faults.add({ kind: 'reset_after', vendor: 'linear', count: 10 });
  const { body, ...unknown } = await send('unknown', 'Lost before the upgrade', 502);
  sandbox.faults.clear();
  // The hint contains the id with which it was sent.
  const [id = ''] = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(body.hint) ?? [];
  return { answered, unknown: { ...unknown, id } };
}
