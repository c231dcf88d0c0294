import { expect, test } from 'vitest';
import { formWith } from './browser.js';
import { requestSetup, type SetupTest, startSetup } from './start.js';

const connectors = '/api/v1/integrations/connectors';

async function connected(running: SetupTest): Promise<string> {
  const { acme, sandbox } = running;
  const credentials = sandbox.vendors.linear.credentials.api_key;
  const json = { workspace_name: 'main', connector_type: 'linear', name: 'Our issues', credentials };
  const { body } = await acme.ask('POST', connectors, { json: { ...json, replication_config: { interval: '6h' } } });
  return body.id;
}

test('a connector gets new credentials and keeps everything else, and the page returns to the console', async () => {
  const running = await startSetup();
  const { acme, sandbox, server } = running;
  const id = await connected(running);
  const { body } = await acme.ask('POST', `${connectors}/${id}/renew`);
  const browser = running.browser();
  const page = await browser.open(body.setup_url);
  expect(page.text).toContain('For the connector Our issues in the workspace main of Acme');
  const { api_key } = sandbox.vendors.linear.credentials.api_key;
  const refused = await browser.submit(formWith(page, /api_key/), { api_key: 'lin_api_wrong' });
  expect(refused.status).toBe(422);
  const back = await browser.submit(formWith(refused, /api_key/), { api_key });
  expect(back.url).toBe(`${server.url}/console/connectors/${id}`);
  const { body: after } = await acme.ask('GET', `${connectors}/${id}`);
  expect(after).toMatchObject({ id, name: 'Our issues', replication_config: { interval: '6h' } });
});

test('new credentials for a different account are rejected, unless allowed', async () => {
  const running = await startSetup();
  const { acme, sandbox, server } = running;
  const id = await connected(running);
  const scope = { organizationId: acme.organizationId };
  const credentials = (await server.state.credentials.load(id))!;
  await server.state.connectors.update(scope, id, { credentials, account: 'somebody-else' });
  const { api_key } = sandbox.vendors.linear.credentials.api_key;
  const renew = async (json: object) => {
    const { body } = await acme.ask('POST', `${connectors}/${id}/renew`, { json });
    const browser = running.browser();
    return browser.submit(formWith(await browser.open(body.setup_url), /api_key/), { api_key });
  };
  expect((await renew({})).text).toContain('This is a different Linear account');
  expect((await renew({ any_account: true })).url).toBe(`${server.url}/console/connectors/${id}`);
});

test("a setup started in the console asks what to replicate, and ends on the connector's page", async () => {
  const running = await startSetup();
  const { acme, sandbox, server } = running;
  const { body } = await requestSetup(acme, { name: 'New', connector_type: 'linear', console: true });
  const browser = running.browser();
  const page = await browser.open(body.setup_url);
  const { api_key } = sandbox.vendors.linear.credentials.api_key;
  const picks = await browser.submit(formWith(page, /api_key/), { api_key });
  const back = await browser.submit(formWith(picks, /value="picks"/));
  const { connector_id } = await running.status(body.setup_id);
  expect(back.url).toBe(`${server.url}/console/connectors/${connector_id}`);
});

test('a setup started in the console can be canceled, and returns to the console', async () => {
  const running = await startSetup();
  const { body } = await requestSetup(running.acme, { name: 'New', connector_type: 'linear', console: true });
  const browser = running.browser();
  const page = await browser.open(body.setup_url);
  const back = await browser.submit(formWith(page, /value="cancel"/));
  expect(back.url).toBe(`${running.server.url}/console`);
  expect(await running.status(body.setup_id)).toMatchObject({ status: 'cancelled' });
});

test('new credentials require a client of the organization with the manage scope', async () => {
  const running = await startSetup();
  const { acme, server } = running;
  const id = await connected(running);
  const other = await running.newTenant('Other');
  expect((await other.ask('POST', `${connectors}/${id}/renew`)).status).toBe(404);
  await server.state.clients.setScopes(acme.clientId, ['read']);
  expect((await acme.ask('POST', `${connectors}/${id}/renew`)).status).toBe(403);
});
