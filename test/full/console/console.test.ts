import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAppearance, type MonitoredPage } from '../chromium.js';
import { type ConsoleEnvironment, signIn, startConsoleEnvironment, whileSignedIn } from './environment.js';

let on: ConsoleEnvironment;
beforeAll(async () => {
  on = await startConsoleEnvironment();
});
afterAll(() => on?.close());

/** Quota texts by connector. */
const quotas = [
  ['Notes', 'Granola does not report its remaining quota. Requests from other programs'],
  ['Documents', 'Google Drive does not report its remaining quota.'],
  ['Calls', /of 10,000 left/],
  ['Visits', /Tokens per day/],
] as const;

/** Signs in, runs the steps and checks that no errors went unnoticed. */
const signedIn = (width: number, act: (watched: MonitoredPage) => Promise<void>) => whileSignedIn(on, width, act);

test('an incorrect secret is rejected with a message, and the correct one signs in', async () => {
  const { page, faults } = await on.page();
  await page.goto('/console/search');
  await page.getByLabel('Client ID').fill(on.clientId);
  await page.getByLabel('Client secret').fill('acs_wrong');
  await checkAppearance(page, 'sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('incorrect').waitFor();
  await page.getByLabel('Client secret').fill(on.clientSecret);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Search' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Search' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a link signs in once and is removed from the URL', async () => {
  const link = await on.service.state.consoleSessions.createLink(on.clientId);
  for (const heading of ['Overview', undefined]) {
    const { page } = await on.page();
    await page.goto(`/console/#link=${link}`);
    if (heading) await page.getByRole('navigation', { name: 'Console' }).waitFor();
    else await page.getByText('This link has already been used').waitFor();
    expect(page.url()).not.toContain(link);
    await page.context().close();
  }
});

describe.each([1280, 360])('%i pixels wide', (width) => {
  test('the list shows the health of each connector and updates itself', () =>
    signedIn(width, async ({ page }) => {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('row', { name: /Our issues.*Ready/ }).waitFor({ timeout: 60_000 });
      await page.getByRole('row', { name: /Calls.*No credentials/ }).waitFor();
      await page.getByRole('row', { name: /Old workspace.*Credentials rejected/ }).waitFor({ timeout: 60_000 });
      await checkAppearance(page, 'connectors');
      const [organization] = await on.service.state.organizations.all();
      const scope = { organizationId: organization!.id };
      const { id: workspaceId } = await on.service.state.workspaces.create(scope.organizationId, `late ${width}`);
      const row = { workspaceId, name: `Late ${width}`, type: 'linear', replicationConfig: null, settings: {} };
      const { id } = await on.service.state.connectors.create(scope, { ...row, credentials: null });
      await page.getByRole('link', { name: `Late ${width}` }).waitFor();
      await on.service.state.connectors.delete(scope, id);
      await on.service.state.workspaces.delete(scope, `late ${width}`);
      await page.getByRole('link', { name: `Late ${width}` }).waitFor({ state: 'detached' });
    }));

  test('a connector shows its entities and jobs, and syncs on request', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Our issues' }).click();
      await page.getByRole('table', { name: 'Searchable entities' }).waitFor();
      await page.getByRole('button', { name: 'Check credentials' }).click();
      await page.getByText('The credentials work.').waitFor();
      await page.getByRole('button', { name: 'Sync now' }).click();
      await page
        .getByRole('row', { name: /Requested.*Done/ })
        .first()
        .waitFor({ timeout: 60_000 });
      const timeline = page.getByRole('figure').filter({ hasText: 'Syncs over time' });
      await timeline.getByRole('img', { name: /Timeline of \d+ syncs/ }).waitFor();
      await timeline.getByText('Show as a table').click();
      // Read at once, because a sync may begin at any time.
      const [bars, rows] = await timeline.evaluate((figure) =>
        ['.lane span', 'tbody tr'].map((part) => figure.querySelectorAll(part).length),
      );
      expect(bars).toBe(rows);
      expect(bars).toBeGreaterThan(1);
      await checkAppearance(page, 'connector');
    }));

  test('an action runs from its form, which also shows the call without secrets', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Our issues' }).click();
      await page.getByRole('link', { name: 'Run an action' }).click();
      await page.getByLabel('first').fill('3');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('3 records').waitFor();
      await checkAppearance(page, 'run');
      await page.getByRole('button', { name: 'JSON' }).first().click();
      await page.getByLabel('Parameters').fill('{"first": 2}');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('2 records').waitFor();
      await page.getByRole('button', { name: 'Form' }).click();
      // A filter has hundreds of fields, which would push the button off the screen.
      expect(await page.locator('.fields').locator('input, select, textarea').count()).toBeLessThan(20);
      await page.locator('summary').getByText('Filter', { exact: true }).click();
      await page.locator('summary').getByText('Assignee', { exact: true }).waitFor();
      await page.getByLabel('first').fill('3');
      const samples = await page.locator('.code').allTextContents();
      expect(samples.join('\n')).toContain("await connector.execute('issues', 'list', { first: 3 });");
      expect(samples.join('\n')).not.toContain(on.clientSecret);
      await page.getByLabel('first').fill('0');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('alert').getByText('first').first().waitFor();
    }));

  test('a write shows its request, and is executed as shown after confirmation', () =>
    signedIn(width, async ({ page, requestedUrls }) => {
      await page.getByRole('link', { name: 'Our issues' }).click();
      await page.getByRole('link', { name: 'Run an action' }).click();
      await page.getByLabel('Entity').selectOption('comments');
      await page.getByLabel('Action').selectOption('create');
      await page.getByLabel('Issue ID').fill('ENG-1');
      await page.getByLabel('body').fill(`<b>seen</b> at ${width}`);
      const before = on.sandbox.requests.length;
      await page.getByRole('button', { name: 'Run create' }).click();
      const dialog = page.getByRole('dialog', { name: 'Create this comment in Linear?' });
      await dialog.getByText(`at ${width}`).first().waitFor();
      await dialog.getByText('Show request').click();
      await dialog.getByText('POST').waitFor();
      await dialog.getByText('https://api.linear.app/graphql').waitFor();
      const shown = await dialog.getByRole('region', { name: 'Request body' }).textContent();
      const { query, variables } = JSON.parse(shown!);
      expect(query).toContain('commentCreate');
      expect(JSON.stringify(variables)).toContain(`<b>seen</b> at ${width}`);
      expect(await dialog.textContent()).not.toContain(on.sandbox.vendors.linear.credentials.api_key.api_key);
      await checkAppearance(page, 'write');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      const writes = () => on.sandbox.requests.slice(before).filter(({ rootField }) => rootField === 'commentCreate');
      expect(writes()).toHaveLength(0);
      await page.getByRole('button', { name: 'Run create' }).click();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('region', { name: 'Result' }).getByText(`<b>seen</b> at ${width}`).waitFor();
      expect(writes().map(({ body }) => body)).toEqual([
        expect.objectContaining({ variables: { ...variables, input: { ...variables.input, id: expect.any(String) } } }),
      ]);
      expect(requestedUrls.filter((url) => url.endsWith('/execute'))).toHaveLength(3);
    }));

  test('a write is not executed if its preconditions have changed since the preview', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Our issues' }).click();
      await page.getByRole('link', { name: 'Run an action' }).click();
      await page.getByLabel('Entity').selectOption('comments');
      await page.getByLabel('Action').selectOption('create');
      await page.getByLabel('Issue ID').fill('ENG-1');
      await page.getByLabel('body').fill('as planned');
      await page.getByRole('button', { name: 'Run create' }).click();
      await page.getByRole('dialog').waitFor();
      await page.route('**/execute', (route) => {
        const sent = route.request().postDataJSON();
        return route.continue({ postData: JSON.stringify({ ...sent, params: { ...sent.params, body: 'otherwise' } }) });
      });
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('alert').getByText('differs from the plan').waitFor();
    }));

  test('searches text across all connectors, with highlights and sources', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Search' }).click();
      await page.getByLabel('Query').fill('two-factor reset');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('.hits mark').first().waitFor();
      await page.locator('.hits').getByRole('link', { name: 'Our issues' }).first().waitFor();
      await checkAppearance(page, 'search-words');
    }));

  test("builds filter conditions from an entity's fields", () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Search' }).click();
      await page.getByRole('button', { name: 'By conditions' }).click();
      const field = page.getByRole('combobox', { name: 'Field' });
      await field.focus();
      await page.keyboard.press('ArrowDown');
      await checkAppearance(page, 'search-select');
      await page.keyboard.type('prio');
      const options = page.getByRole('listbox', { name: 'Options' }).getByRole('option');
      await expect.poll(() => options.allTextContents()).toEqual(['Priority', 'Priority label', 'Priority sort order']);
      await page.keyboard.press('Escape');
      await expect.poll(() => options.count()).toBe(0);
      const before = await field.inputValue();
      await page.keyboard.type('prio');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('Priority label');
      expect(before).not.toBe('Priority label');
      await field.click();
      await page.getByRole('option', { name: 'Priority', exact: true }).click();
      await page.getByLabel('Operator').selectOption('lte');
      await page.getByLabel('Value').fill('2');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText(/\d+ records? in/).waitFor();
      await checkAppearance(page, 'search-conditions');
    }));

  test('charts show freshness, synced records and calls', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Our issues' }).click();
      await page.getByRole('link', { name: 'Charts' }).click();
      await page.getByText('Freshness').waitFor();
      await page.getByRole('img', { name: /Records synced and failed/ }).waitFor();
      await page.getByRole('img', { name: /Call latency/ }).waitFor();
      await page.getByText(/[\d,]+ of 2,500 left/).waitFor();
      await page
        .getByText(/[\d,]+ of [\d,]+ left/)
        .nth(1)
        .waitFor();
      await checkAppearance(page, 'charts');
      for (const [name, words] of quotas) {
        await page.getByRole('link', { name: 'Connectors', exact: true }).first().click();
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByRole('link', { name: 'Charts' }).click();
        if (name === 'Visits') await page.getByRole('button', { name: 'Request the remaining quota' }).click();
        await page.getByText(words).waitFor();
        await checkAppearance(page, `charts-${name.toLowerCase()}`);
      }
    }));

  test('the audit log shows actions taken in the console', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page
        .getByRole('row', { name: /Our issues.*Create comment.*Success.*Acme program · Console/ })
        .first()
        .waitFor();
      expect(await page.getByRole('row', { name: /Create comment.*Started/ }).count()).toBe(0);
      await checkAppearance(page, 'audit');
      await page.getByLabel('Outcome').selectOption('failure');
      await page
        .getByRole('row', { name: /Success/ })
        .first()
        .waitFor({ state: 'detached' });
    }));

  test('shows the configuration for agents and their documentation', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByText(`${on.service.url}/mcp`, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'issues.list' }).click();
      await page.getByText(/actions\.issues\.list: about [\d,]+ tokens/).waitFor();
      await checkAppearance(page, 'agents');
    }));

  test('a rule can be set, is enforced, and can be removed', () =>
    signedIn(width, async ({ page }) => {
      await page.getByRole('link', { name: 'Access' }).click();
      await page.getByLabel('Connector').selectOption('Our issues');
      await page.getByLabel('Deny writes').check();
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page.getByRole('row', { name: /Our issues.*Denied/ }).waitFor();
      await page.getByRole('row', { name: /Acme program \(this session\)/ }).waitFor();
      await checkAppearance(page, 'access');
      await page.getByLabel('Allow', { exact: true }).check();
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page.getByText('No policies').waitFor();
    }));
});

test('the list, an action and its dialog work with only the keyboard', async () => {
  const { page, faults } = await on.page();
  await signIn(page, on);
  await page.getByRole('link', { name: 'Our issues' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Run an action' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Entity').selectOption('comments');
  await page.getByLabel('Action').selectOption('create');
  await page.getByLabel('Issue ID').focus();
  await page.keyboard.type('ENG-1');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('body').first().waitFor();
  await page.getByLabel('body').focus();
  await page.keyboard.type('by keyboard');
  await page.getByLabel('Issue ID').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await page.context().close();
});
