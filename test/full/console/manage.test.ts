import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEndpoint } from '../../service/webhooks.js';
import { checkAppearance, type MonitoredPage } from '../chromium.js';
import { type ConsoleEnvironment, startConsoleEnvironment, whileSignedIn } from './environment.js';

let on: ConsoleEnvironment;
beforeAll(async () => {
  on = await startConsoleEnvironment();
});
afterAll(() => on?.close());

const signedIn = (width: number, act: (watched: MonitoredPage) => Promise<void>) => whileSignedIn(on, width, act);

const scope = async () => ({ organizationId: (await on.service.state.organizations.all())[0]!.id });

describe.each([1440, 390])('%i pixels wide', (width) => {
  test('a webhook is added, tested, replayed, disabled and deleted; its secret is shown once', () =>
    signedIn(width, async ({ page }) => {
      const { url, received } = await openEndpoint(() => (received.length === 1 ? 204 : 500));
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('No webhooks yet').waitFor();
      await page.getByLabel('URL').fill(url);
      await page.getByRole('checkbox', { name: 'connector.synced' }).uncheck();
      await page.getByRole('checkbox', { name: 'record.updated' }).check();
      await page.getByRole('checkbox', { name: 'record.deleted' }).check();
      await page.getByLabel('Workspace').selectOption('main');
      await page.getByRole('button', { name: 'Add webhook' }).click();
      const secret = page.getByRole('status', { name: `Signing secret for ${url}` });
      await secret.getByText(/^whsec_/).waitFor();
      await checkAppearance(page, 'webhooks');
      await secret.getByRole('button', { name: 'I’ve saved it' }).click();
      await secret.waitFor({ state: 'detached' });
      await page.getByText('7 of 9 events').waitFor();
      await page.getByRole('link', { name: url }).click();
      await page.getByRole('heading', { name: url }).waitFor();
      await page.getByRole('button', { name: 'Send test event' }).click();
      await expect.poll(() => received.map(({ type }) => type)).toEqual(['webhook.test']);
      const replay = page.getByRole('button', { name: 'Replay webhook.test' });
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Refresh' }).click();
          return replay.count();
        })
        .toBe(1);
      await page.getByRole('row', { name: /webhook\.test.*Delivered/ }).waitFor();
      await checkAppearance(page, 'deliveries');
      await page.getByRole('button', { name: 'Change events' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change events' });
      await dialog.getByRole('checkbox', { name: 'record.updated' }).uncheck();
      await dialog.getByRole('checkbox', { name: 'record.deleted' }).uncheck();
      await dialog.getByRole('checkbox', { name: 'connector.synced' }).check();
      await checkAppearance(page, 'events');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('All connector events').waitFor();
      expect(await on.service.state.webhooks.list(await scope())).toMatchObject([{ events: null }]);
      await replay.click();
      await expect.poll(() => new Set(received.map(({ id }) => id)).size + received.length).toBe(3);
      await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('Disabled', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
      expect(await on.service.state.webhooks.list(await scope())).toEqual([]);
    }));

  test("a client's scopes are changed and its secret is rolled, using only the keyboard", () =>
    signedIn(width, async ({ page }) => {
      const { organizationId } = await scope();
      const { client, secret } = await on.service.state.clients.create(`nightly ${width}`, [organizationId]);
      await on.service.state.clients.setUser(client.id, { email: 'ada@example.com', groups: ['sales@example.com'] });
      await page.getByRole('link', { name: 'Access' }).click();
      await page
        .getByRole('row', { name: new RegExp(`nightly ${width}.*ada@example.com.*sales@example.com`) })
        .waitFor();
      await page.getByRole('button', { name: `Change scopes for nightly ${width}` }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: `Change scopes for nightly ${width}` });
      await dialog.waitFor();
      await checkAppearance(page, 'scopes');
      for (const name of ['manage', 'admin']) {
        await dialog.getByRole('checkbox', { name }).focus();
        await page.keyboard.press('Space');
      }
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      expect((await on.service.state.clients.get(client.id))?.scopes).toEqual(['read', 'write']);
      await page.getByRole('button', { name: `Rotate secret for nightly ${width}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
      const shown = page.getByRole('status', { name: `New secret for nightly ${width}` });
      const rolled = await shown.locator('pre').textContent();
      expect(rolled).not.toBe(secret);
      expect(await on.service.state.clients.verify(client.id, rolled!)).toBeDefined();
      await checkAppearance(page, 'secret');
    }));

  test('a workspace is created, and deleted after a warning about its contents', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Access' }).click();
      await page.getByLabel('New workspace').fill(`team ${width}`);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Delete team ${width}` }).click();
      const dialog = page.getByRole('dialog', { name: `Delete team ${width}?` });
      await dialog.getByText('The workspace policies').waitFor();
      await dialog.getByRole('button', { name: 'Delete workspace' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await on.service.state.workspaces.find(await scope(), `team ${width}`)).toBeUndefined();
      await page.getByRole('button', { name: 'Delete main' }).click();
      await page.getByRole('dialog').getByText('Our issues, its credentials and').waitFor();
      await page.keyboard.press('Escape');
      await checkAppearance(page, 'access-workspaces');
    }));
});
