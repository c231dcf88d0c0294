import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SetupEnvironment, startSetupEnvironment } from './environment.js';

let on: SetupEnvironment;
beforeAll(async () => {
  on = await startSetupEnvironment();
});
afterAll(() => on?.close());

const cases = [
  { type: 'linear', title: 'Linear', account: 'Linear', entity: 'users', action: 'list', params: { first: 1 } },
  {
    type: 'google-drive',
    title: 'Google Drive',
    account: 'Google',
    entity: 'about',
    action: 'get',
    params: { fields: 'user' },
  },
] as const;

describe.each([1280, 360])("authorization on the vendor's page, %i pixels wide", (width) => {
  test.each(cases)('$title works from the command line', async (one) => {
    const { type, title, account, entity, action, params } = one;
    const name = `${title} ${width}`;
    const { url, result } = await on.beginSetup(name, type);
    const { client_id, client_secret } = on.vendors.sandbox.vendors[type].credentials.oauth;
    const watched = await on.page(width);
    const { page } = watched;

    const goOn = async (secret: string) => {
      const form = page.locator('form', { has: page.locator('input[name=step][value=authorize]') });
      const isAgain = await form.isVisible();
      // After a failure, the same method is open again with everything but the secrets filled in.
      if (isAgain) expect(await form.getByLabel('Client ID').inputValue()).toBe(client_id);
      else await page.getByText(`Sign in with ${account}, using your own OAuth application`).click();
      await form.getByLabel('Client ID').fill(client_id);
      await form.getByLabel('Client secret').fill(secret);
      await on.inspectPage(watched, `setup-application-${type}`);
      await form.getByRole('button', { name: `Sign in with ${account}` }).click();
      await page.getByRole('button', { name: 'Deny' }).waitFor();
      expect(new URL(page.url()).origin).toBe(on.vendors.url);
    };

    await page.goto(url);
    await goOn(client_secret);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('alert').getByText('Access was denied').waitFor();
    await on.inspectPage(watched, 'setup-denied');
    await goOn('a-wrong-secret-0123456789');
    await page
      .getByRole('button', { name: /^Allow as/ })
      .first()
      .click();
    await page.getByRole('alert').getByText('rejected the code').waitFor();
    expect(await page.content()).not.toContain('a-wrong-secret-0123456789');
    await goOn(client_secret);
    await page
      .getByRole('button', { name: /^Allow as/ })
      .first()
      .click();
    await page.getByText(/Connected as \S+@fernhill\.example/).waitFor();
    expect(page.url()).toBe(url);
    await page.getByRole('button', { name: `Connect ${title}` }).click();
    await page.getByRole('heading', { name: `${title} is connected` }).waitFor();
    expect(watched.faults).toEqual([]);
    expect(await result()).toMatchObject({ name, connector_type: type });
    const answer = await on.command('connectors', 'execute', JSON.stringify({ name, entity, action, params }));
    expect(answer.data).toBeDefined();
    await page.context().close();
  });
});

test('a response is accepted once, and only in the browser that requested it', async () => {
  const { url } = await on.beginSetup('answered', 'linear');
  const { client_id, client_secret } = on.vendors.sandbox.vendors.linear.credentials.oauth;
  const watched = await on.page(1280);
  const { page, requestedUrls } = watched;
  await page.goto(url);
  await page.getByText('Sign in with Linear, using your own OAuth application').click();
  const form = page.locator('form', { has: page.locator('input[name=step][value=authorize]') });
  await form.getByLabel('Client ID').fill(client_id);
  await form.getByLabel('Client secret').fill(client_secret);
  await form.getByRole('button').click();
  await page
    .getByRole('button', { name: /^Allow as/ })
    .first()
    .click();
  await page.getByText(/Connected as/).waitFor();
  const answer = requestedUrls.find((address) => address.includes('/setup/callback?'))!;
  const other = await on.page(360);
  for (const [width, { page }] of Object.entries({ 1280: watched, 360: other })) {
    expect([width, (await page.goto(answer))!.status()]).toEqual([width, 400]);
    await page.getByRole('heading', { name: 'This sign-in is no longer valid' }).waitFor();
  }
  await on.inspectPage(other, 'setup-stray');
  await page.goto(url);
  await page.getByText(/Connected as/).waitFor();
  await other.page.context().close();
  await page.context().close();
});

test('no secret appears in a page, a URL, a log, a command or its output', () => {
  const all = on.output.join('\n');
  expect(all).toContain('/setup/callback?code=');
  expect(on.secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
