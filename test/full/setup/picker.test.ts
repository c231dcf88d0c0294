import { serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SetupEnvironment, startSetupEnvironment } from './environment.js';

let on: SetupEnvironment;
beforeAll(async () => {
  const { sandbox, close } = await serveSandbox();
  await close();
  const { credentials, picker } = sandbox.vendors['google-drive'];
  const { client_id: clientId, client_secret: clientSecret } = credentials.oauth;
  on = await startSetupEnvironment({
    oauthClients: { 'google-drive': { clientId, clientSecret, developerKey: picker.developer_key } },
  });
});
afterAll(() => on?.close());

test.each([1280, 360])('files are chosen in the picker, %i pixels wide', async (width) => {
  const { url, result } = await on.beginSetup(`Chosen ${width}`, 'google-drive');
  const watched = await on.page(width);
  const { page } = watched;
  await page.goto(url);
  await page.getByText('Sign in with Google and choose files instead').click();
  await page.getByRole('button', { name: 'Sign in with Google and choose files' }).click();
  await page
    .getByRole('button', { name: /^Allow as/ })
    .first()
    .click();
  await page.getByText('No files have been chosen yet.').waitFor();
  await on.inspectPage(watched, 'setup-picker');
  await page.getByRole('button', { name: 'Connect Google Drive' }).click();
  await page.getByText('Choose at least one file.').first().waitFor();
  const open = page.getByRole('button', { name: 'Choose files' });
  await open.click();
  const dialog = page.frameLocator('iframe[title="Google Drive picker"]');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => page.locator('iframe').count()).toBe(0);
  await open.click();
  // Folders are shown, but disabled.
  await dialog.locator('input[name=id]:disabled').first().waitFor();
  const labels = dialog.locator('label:has(input:enabled)');
  const names = (await labels.allTextContents()).map((name) => name.trim());
  await labels.nth(0).click();
  await labels.nth(1).click();
  await dialog.getByRole('button', { name: 'Select' }).click();
  await page.getByRole('checkbox').nth(1).waitFor();
  expect((await page.locator('.choice').allTextContents()).map((name) => name.trim()).sort()).toEqual(
    names.slice(0, 2).sort(),
  );
  await page.getByRole('checkbox').nth(1).uncheck();
  await page.getByRole('button', { name: 'Connect Google Drive' }).click();
  await page.getByText('Google Drive is connected').first().waitFor();
  const { id } = await result();
  const { data } = await on.command('connectors', 'list');
  const { replication_config } = data.find((connector: { id: string }) => connector.id === id);
  expect(replication_config.file_ids).toHaveLength(1);
});
