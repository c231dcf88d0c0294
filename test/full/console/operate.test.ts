import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAppearance, type MonitoredPage } from '../chromium.js';
import { type ConsoleEnvironment, openConnector, startConsoleEnvironment, whileSignedIn } from './environment.js';

let on: ConsoleEnvironment;
beforeAll(async () => {
  on = await startConsoleEnvironment();
});
afterAll(() => on?.close());

const signedIn = (width: number, act: (watched: MonitoredPage) => Promise<void>) => whileSignedIn(on, width, act);

const scope = async () => ({ organizationId: (await on.service.state.organizations.all())[0]!.id });

/** Creates a connector; pass an invalid `api_key` to make the vendor reject it. */
async function connector(name: string, api_key = on.sandbox.vendors.linear.credentials.api_key.api_key) {
  const tenant = await scope();
  const { id: workspaceId } = (await on.service.state.workspaces.find(tenant, 'main'))!;
  const row = { workspaceId, name, type: 'linear', replicationConfig: { interval: '2h' }, settings: {} };
  return on.service.state.connectors.create(tenant, { ...row, credentials: { api_key } });
}

describe.each([1440, 390])('%i pixels wide', (width) => {
  test('a connector is renamed, set to sync less often, and deleted after a warning', () =>
    signedIn(width, async ({ page }) => {
      const { id } = await connector(`Spare ${width}`);
      await openConnector(page, `Spare ${width}`, 'Settings');
      await page.getByLabel('Name').fill(`Renamed ${width}`);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Renamed ${width}`, level: 1 }).waitFor();
      expect(await page.getByLabel('Sync interval').inputValue()).toBe('2h');
      await page.getByLabel('Sync interval').selectOption('6h');
      await page.getByRole('checkbox', { name: 'comments' }).uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await checkAppearance(page, 'settings');
      const stored = (await on.service.state.connectors.get(await scope(), id))!;
      expect(stored.replicationConfig?.interval).toBe('6h');
      expect(stored.replicationConfig?.entities).toContain('issues');
      expect(stored.replicationConfig?.entities).not.toContain('comments');
      await page.getByRole('button', { name: 'Delete connector' }).click();
      const dialog = page.getByRole('dialog', { name: `Delete Renamed ${width}?` });
      await dialog.getByText('The stored credentials.').waitFor();
      await checkAppearance(page, 'delete');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Delete connector' }).click();
      await dialog.getByRole('button', { name: 'Delete connector' }).click();
      await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
      await page.getByRole('link', { name: `Renamed ${width}` }).waitFor({ state: 'detached' });
      expect(await on.service.state.connectors.get(await scope(), id)).toBeUndefined();
    }));

  test('a connector reports that its credentials were rejected, and gets new ones on the setup pages', () =>
    signedIn(width, async ({ page }) => {
      const { id } = await connector(`Broken ${width}`, 'lin_api_gone');
      await openConnector(page, `Broken ${width}`);
      const problem = page.getByRole('region', { name: 'Linear rejected the credentials' });
      await problem.waitFor();
      expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(true);
      await checkAppearance(page, 'rejected');
      await problem.getByRole('button', { name: 'Enter new credentials' }).click();
      await page.getByRole('heading', { name: 'Reconnect Linear' }).waitFor();
      await page.locator('#fields-api-key-api-key').fill(on.sandbox.vendors.linear.credentials.api_key.api_key);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Broken ${width}`, level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/console/connectors/${id}`);
      await page.getByText('Ready', { exact: true }).first().waitFor();
      await problem.waitFor({ state: 'detached' });
      await on.service.state.connectors.delete(await scope(), id);
    }));

  test('a read-only session explains why it cannot make changes', async () => {
    const { state } = on.service;
    await state.clients.setScopes(on.clientId, ['read']);
    try {
      await signedIn(width, async ({ page }) => {
        await openConnector(page, 'Our issues', 'Settings');
        await page.getByText('does not have the manage scope').waitFor();
      });
    } finally {
      await state.clients.setScopes(on.clientId, ['read', 'write', 'manage', 'admin']);
    }
  });
});
