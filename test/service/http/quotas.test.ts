import { expect, test } from 'vitest';
import { formWith } from '../setup/browser.js';
import { startSetup } from '../setup/start.js';
import { type ApiResponse, startTestService } from './setup.js';

/** The response names the limit and who can raise it, and does not suggest a retry. */
function expectRefused({ status, headers, body }: ApiResponse, what: 'workspaces' | 'connectors') {
  expect([status, body.code, body.retryable, headers.get('retry-after')]).toEqual([
    403,
    'quota_exhausted',
    false,
    null,
  ]);
  expect(body.message).toMatch(new RegExp(`^The organization has reached its limit of \\d ${what}\\.$`));
  expect(body.hint).toMatch(new RegExp(`operator .+ ${what}PerOrganization in --limits`));
}

test('workspaces beyond the limit are rejected, including those that a token would create', async () => {
  const { tenant } = await startTestService({ limits: { workspacesPerOrganization: 2 } });
  const [acme, other] = [await tenant(), await tenant('Other')];
  const scoped = (workspace_name: string) =>
    acme.ask('POST', '/api/v1/account/applications/scoped-token', { json: { workspace_name } });
  expect((await scoped('implicit')).status).toBe(200);
  expectRefused(await scoped('another'), 'workspaces');
  expectRefused(await acme.ask('POST', '/api/v1/workspaces', { json: { name: 'another' } }), 'workspaces');
  expect((await scoped('implicit')).status).toBe(200);
  expect((await other.ask('POST', '/api/v1/workspaces', { json: { name: 'another' } })).status).toBe(200);
  await acme.ask('DELETE', '/api/v1/workspaces/implicit');
  expect((await scoped('another')).status).toBe(200);
});

test('connectors beyond the limit are rejected, with and without a name', async () => {
  const { tenant } = await startTestService({ limits: { connectorsPerOrganization: 2 } });
  const [acme, other] = [await tenant(), await tenant('Other')];
  const create = (more: object = {}) =>
    acme.ask('POST', '/api/v1/integrations/connectors', {
      json: { workspace_name: acme.workspace, connector_type: 'linear', ...more },
    });
  for (const made of [await create(), await create()]) expect(made.status).toBe(200);
  expectRefused(await create(), 'connectors');
  expectRefused(await create({ name: 'mine' }), 'connectors');
  await other.connect('linear');
});

test('a browser setup fails if the organization has reached its connector limit', async () => {
  const running = await startSetup({ limits: { connectorsPerOrganization: 1 } });
  const { setup, browser, page } = await running.beginAndOpen('linear');
  await running.acme.connect('linear');
  const { api_key } = running.sandbox.vendors.linear.credentials.api_key;
  const picks = await browser.submit(formWith(page, /api_key/), { api_key });
  await browser.submit(formWith(picks, /entities/));
  expect(await running.status(setup.id)).toEqual({
    status: 'failed',
    error: 'The organization has reached its limit of 1 connectors.',
  });
});

test('pending setups beyond the limit are rejected temporarily; finished ones are forgotten, oldest first', async () => {
  const { acme, newTenant } = await startSetup({ limits: { setupsPerClient: 2 } });
  const rival = await newTenant('Rival');
  const path = '/api/v1/integrations/connectors/setup';
  const begin = (name: string, { ask, workspace } = acme) =>
    ask('POST', path, { json: { workspace_name: workspace, name, connector_type: 'linear' } });
  const [first, second] = [await begin('One'), await begin('Two')];
  const refused = await begin('Three');
  expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([429, 'rate_limited', true]);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(refused.body.hint).toContain('setupsPerClient in --limits');
  // A second setup with the same name replaces the first.
  expect((await begin('One')).status).toBe(200);
  expect((await begin('Two', rival)).status).toBe(200);
  const statuses = [first, second].map(({ body }) => acme.ask('GET', `${path}/${body.setup_id}`));
  expect((await Promise.all(statuses)).map(({ status, body }) => body.status ?? status)).toEqual([404, 'pending']);
});
