import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAppearance } from '../chromium.js';
import { type ConsoleEnvironment, signIn, startConsoleEnvironment } from './environment.js';

const script = '<img src=x onerror="globalThis.broken=1"><script>globalThis.broken=1</script>';

let on: ConsoleEnvironment;
let elsewhere: Server;
let foreign = '';
/** HTML of the page on the other origin. */
let trap = '';
beforeAll(async () => {
  on = await startConsoleEnvironment();
  elsewhere = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html').end(`<!doctype html><title>Elsewhere</title>${trap}`);
  });
  await new Promise<void>((ready) => {
    elsewhere.listen(0, '127.0.0.1', ready);
  });
  // A different host name makes it a different site.
  foreign = `http://localhost:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await on?.close();
  elsewhere?.close();
});

const scope = async () => ({ organizationId: (await on.service.state.organizations.all())[0]!.id });
const names = async () =>
  (await on.service.state.workspaces.list(await scope(), { limit: 100 })).rows.map(({ name }) => name);
const isWhole = async (page: Page) =>
  expect(await page.evaluate(() => [(globalThis as any).broken, document.scripts.length])).toEqual([undefined, 1]);

async function signedIn(width = 1280) {
  const watched = await on.page(width);
  await signIn(watched.page, on);
  return watched;
}

/** Opens a page on another origin in the same browser. */
async function lured(page: Page, html: string): Promise<Page> {
  trap = html;
  const other = await page.context().newPage();
  await other.goto(foreign);
  return other;
}

/** The URL of a pending setup. */
async function setupAddress(name: string): Promise<string> {
  const { organizationId } = await scope();
  const { id } = (await on.service.state.workspaces.find({ organizationId }, 'main'))!;
  const begun = await on.service.state.setups.begin(
    { organizationId },
    { workspaceId: id, clientId: on.clientId, name, type: 'linear' },
  );
  return `${on.service.url}/setup/${begun.token}`;
}

describe('record contents and names are shown as text', () => {
  test.each([1280, 360])('in a result, a search, a list and a dialog, %i pixels wide', async (width) => {
    const { page, faults } = await signedIn(width);
    const name = `${script} ${'long'.repeat(25)}${width}`;
    const row = { type: 'linear', replicationConfig: null, settings: {}, credentials: null };
    const { organizationId } = await scope();
    const workspace = await on.service.state.workspaces.create(organizationId, `${script} ${width}`);
    const made = await on.service.state.connectors.create(
      { organizationId },
      { ...row, workspaceId: workspace.id, name },
    );
    await page.getByRole('link', { name }).waitFor();
    await checkAppearance(page, 'attack-list');
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await checkAppearance(page, 'attack-connector');
    await page.getByRole('link', { name: 'Connectors', exact: true }).first().click();
    await page.getByRole('link', { name: 'Our issues' }).click();
    await page.getByRole('link', { name: 'Run an action' }).click();
    await page.getByLabel('Entity').selectOption('comments');
    await page.getByLabel('Action').selectOption('create');
    await page.getByLabel('Issue ID').fill('ENG-1');
    await page.getByLabel('body').fill(`${script} javascript:alert(1) ${'x'.repeat(2000)}`);
    await page.getByRole('button', { name: 'Run create' }).click();
    await page.getByRole('dialog').getByText('onerror').first().waitFor();
    await isWhole(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('onerror').first().waitFor();
    await isWhole(page);
    await checkAppearance(page, 'attack-result');
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByLabel('Query').fill(`${script} two-factor reset`);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('region', { name: 'Results' }).waitFor();
    await isWhole(page);
    expect(faults).toEqual([]);
    await on.service.state.connectors.delete({ organizationId }, made.id);
    await on.service.state.workspaces.delete({ organizationId }, `${script} ${width}`);
    await page.context().close();
  });
});

describe('another site', () => {
  test('cannot frame the console or a setup', async () => {
    const { page } = await signedIn();
    for (const address of [`${on.service.url}/console`, await setupAddress('framed')]) {
      const other = await lured(page, `<iframe src="${address}"></iframe>`);
      const frame = other.frames().find((one) => one !== other.mainFrame())!;
      await expect.poll(() => frame.url()).toMatch(/^chrome-error:/);
      await other.close();
    }
    await page.context().close();
  });

  test('cannot post with the session, using a form or a script', async () => {
    const { page } = await signedIn();
    const { url } = on.service;
    const before = await names();
    const paths = ['/console/session', '/api/v1/workspaces', '/api/v1/policies', '/api/v1/integrations/connectors'];
    for (const path of paths) {
      const form = `<form method="post" action="${url}${path}" enctype="text/plain"><input name='{"name":"stolen","x":"' value='"}'></form><script>document.forms[0].submit()</script>`;
      const other = await lured(page, form);
      await other.waitForURL(url + path);
      expect(await other.textContent('body')).toMatch(/"code":"(forbidden|unauthorized|invalid_params)"/);
      await other.close();
      const asking = await lured(page, '');
      const answer = asking.evaluate(
        ([address]) =>
          fetch(address!, {
            method: 'POST',
            credentials: 'include',
            headers: { 'content-type': 'application/json', 'x-console': '1' },
            body: '{"name":"stolen"}',
          }).then(
            ({ status }) => status,
            () => 'blocked',
          ),
        [url + path],
      );
      expect(await answer).toBe('blocked');
      await asking.close();
    }
    expect(await names()).toEqual(before);
    await page.reload();
    await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
    await page.context().close();
  });

  test('cannot submit a setup form', async () => {
    const { page } = await on.page();
    const address = await setupAddress('forged');
    const other = await lured(
      page,
      `<form method="post" action="${address}"><input name="step" value="credentials"><input name="mode" value="api_key"><input name="kind" value="fields"><input name="api_key" value="lin_api_theirs"></form><script>document.forms[0].submit()</script>`,
    );
    await other.getByRole('heading', { name: 'This form was sent from another site' }).waitFor();
    await page.context().close();
  });
});

test('no console URL redirects to another host', async () => {
  const { page, faults } = await signedIn();
  for (const path of [
    '/console//evil.example',
    '/console/?next=https://evil.example',
    '/console/..%2f..%2fevil',
    '/console/connectors/%3Cscript%3E',
  ]) {
    await page.goto(path);
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
    expect(new URL(page.url()).origin).toBe(on.service.url);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

test.each([1280, 360])('each page explains the next step if there are no connectors, %i pixels wide', async (width) => {
  const { id } = await on.service.state.organizations.create(`Empty ${width}`);
  const { client, secret } = await on.service.state.clients.create('Nobody', [id]);
  const { page, faults } = await on.page(width);
  await signIn(page, { ...on, clientId: client.id, clientSecret: secret });
  for (const [link, words] of [
    ['Connectors', /connector/i],
    ['Search', 'Nothing to search yet'],
    ['Agents', /connector/i],
    ['Audit log', /./],
    ['Access', /./],
  ] as const) {
    await page.getByRole('link', { name: link, exact: true }).first().click();
    await page.getByRole('main').getByText(words).first().waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await checkAppearance(page, `empty-${link.toLowerCase().replace(' ', '-')}`);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});
