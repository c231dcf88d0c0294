import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SetupEnvironment, startSetupEnvironment } from './environment.js';

let on: SetupEnvironment;
beforeAll(async () => {
  on = await startSetupEnvironment();
});
afterAll(() => on?.close());

const execute = (name: string, entity: string, action: string, params: object) =>
  on.command('connectors', 'execute', JSON.stringify({ name, entity, action, params }));

describe.each([1280, 360])('from the command line to a working connector, %i pixels wide', (width) => {
  test('with a Linear key, after an invalid one is rejected', async () => {
    const name = `issues ${width}`;
    const { url, result } = await on.beginSetup(name, 'linear');
    const watched = await on.page(width);
    const { page } = watched;
    await page.goto(url);
    await on.inspectPage(watched, 'setup-credentials');
    await page.getByLabel('API key', { exact: true }).fill('lin_api_wrong_0123456789');
    await page.getByRole('button', { name: 'Test and connect' }).first().click();
    await page.getByRole('alert').waitFor();
    await on.inspectPage(watched, 'setup-refused');
    expect(await page.content()).not.toContain('lin_api_wrong_0123456789');
    await page
      .getByLabel('API key', { exact: true })
      .fill(on.vendors.sandbox.vendors.linear.credentials.api_key.api_key);
    await page.keyboard.press('Enter');
    await page.getByText(/Connected as \S+@fernhill\.example/).waitFor();
    await on.inspectPage(watched, 'setup-picks-linear');
    await page.getByRole('button', { name: 'Connect Linear' }).click();
    await page.getByRole('heading', { name: 'Linear is connected' }).waitFor();
    await on.inspectPage(watched, 'setup-done');
    expect(await result()).toMatchObject({ name, connector_type: 'linear' });
    expect((await page.goto(url))!.status()).toBe(410);
    await on.inspectPage(watched, 'setup-used');
    expect((await execute(name, 'issues', 'list', { first: 2 })).data).toHaveLength(2);
    await page.context().close();
  });

  test('with a Granola key, chosen on the page', async () => {
    const name = `notes ${width}`;
    const { url, result } = await on.beginSetup(name);
    const watched = await on.page(width);
    const { page } = watched;
    await page.goto(url);
    await on.inspectPage(watched, 'setup-type');
    await page.getByRole('button', { name: 'Granola' }).click();
    await on.inspectPage(watched, 'setup-credentials-granola');
    await page.getByRole('button', { name: 'Choose a different service' }).click();
    await page.getByRole('button', { name: 'Granola' }).click();
    await page
      .getByLabel('API key', { exact: true })
      .fill(on.vendors.sandbox.vendors.granola.credentials.api_key.api_key);
    await page.getByRole('button', { name: 'Test and connect' }).click();
    await page.getByRole('button', { name: 'Connect Granola' }).waitFor();
    await on.inspectPage(watched, 'setup-picks-granola');
    await page.getByLabel('Sync interval').selectOption('Every 6 hours');
    await page.getByRole('button', { name: 'Connect Granola' }).click();
    await page.getByRole('heading', { name: 'Granola is connected' }).waitFor();
    expect(await result()).toMatchObject({ name, replication_config: { interval: '6h' } });
    expect((await execute(name, 'notes', 'list', {})).data.length).toBeGreaterThan(0);
    await page.context().close();
  });

  test('with a Gong access key', async () => {
    const name = `calls ${width}`;
    const { url, result } = await on.beginSetup(name, 'gong');
    const watched = await on.page(width);
    const { page } = watched;
    const { access_key, access_key_secret } = on.vendors.sandbox.vendors.gong.credentials.basic;
    await page.goto(url);
    await page.getByRole('button', { name: 'Test and connect' }).first().click();
    await page.getByRole('alert').waitFor();
    await on.inspectPage(watched, 'setup-empty-gong');
    await page.getByLabel('Access key', { exact: true }).fill(access_key);
    await page.getByLabel('Access key secret').fill(access_key_secret);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Connect Gong' }).waitFor();
    await page.getByLabel('Include private calls').check();
    await on.inspectPage(watched, 'setup-picks-gong');
    await page.getByRole('button', { name: 'Connect Gong' }).click();
    await page.getByRole('heading', { name: 'Gong is connected' }).waitFor();
    await result();
    expect((await execute(name, 'users', 'list', {})).data.length).toBeGreaterThan(0);
    await page.context().close();
  });

  test('with a Google Analytics service account, and a property from the list', async () => {
    const name = `visits ${width}`;
    const { url, result } = await on.beginSetup(name, 'google-analytics');
    const watched = await on.page(width);
    const { page } = watched;
    await page.goto(url);
    await on.inspectPage(watched, 'setup-credentials-analytics');
    const { credentials_json } = on.vendors.sandbox.vendors['google-analytics'].credentials.service_account;
    await page.getByLabel('Service account key (JSON)').fill(credentials_json);
    await page.getByRole('button', { name: 'Test and connect' }).first().click();
    await page.getByRole('button', { name: 'Connect Google Analytics' }).click();
    await page.getByRole('alert').getByText('Select or enter at least one property.').waitFor();
    await on.inspectPage(watched, 'setup-picks-analytics');
    await page.getByRole('checkbox', { name: /320200001/ }).check();
    await page.getByRole('button', { name: 'Connect Google Analytics' }).click();
    await page.getByRole('heading', { name: 'Google Analytics is connected' }).waitFor();
    expect(await result()).toMatchObject({ name, replication_config: { property_ids: ['320200001'] } });
    const report = await execute(name, 'daily_active_users', 'list', { property_id: '320200001' });
    expect(report.data.length).toBeGreaterThan(0);
    await page.context().close();
  });

  test('with a Google Drive service account that impersonates a user, and a folder from the list', async () => {
    const name = `documents ${width}`;
    const { url, result } = await on.beginSetup(name, 'google-drive');
    const watched = await on.page(width);
    const { page } = watched;
    await page.goto(url);
    await on.inspectPage(watched, 'setup-credentials-drive');
    const { credentials_json, subject } = on.vendors.sandbox.vendors['google-drive'].credentials.delegated;
    const form = page.locator('form', { has: page.getByLabel('Service account key (JSON)') });
    await form.getByLabel('Service account key (JSON)').fill(credentials_json);
    await form.getByLabel('Act on behalf of this user').fill(subject);
    await form.getByRole('button', { name: 'Test and connect' }).click();
    await page.getByText(`Connected as ${subject}`).waitFor();
    const folders = page.getByRole('combobox', { name: 'Folder to sync' });
    await folders.selectOption({ index: 1 });
    await on.inspectPage(watched, 'setup-picks-drive');
    await page.getByRole('button', { name: 'Connect Google Drive' }).click();
    await page.getByRole('heading', { name: 'Google Drive is connected' }).waitFor();
    const folder_url = expect.stringMatching(/^https:\/\/drive\.google\.com\/drive\/folders\//);
    expect(await result()).toMatchObject({ name, replication_config: { folder_url } });
    expect((await execute(name, 'files', 'list', { pageSize: 2 })).data).toHaveLength(2);
    await page.context().close();
  });
});

test('no secret appears in a page, a URL, a log, a command or its output', () => {
  const all = on.output.join('\n');
  expect(all).toContain('connectors create');
  expect(on.secrets.length).toBeGreaterThan(10);
  expect(on.secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
