import { expect, test } from '@playwright/test';

const sandbox = 'http://127.0.0.1:4010/_sandbox';
test.beforeEach(({ request }) => request.post(`${sandbox}/reset`));

test('lists issues', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('listitem')).toHaveText(['SUP-61', 'DES-28', 'DES-27', 'MOB-59', 'DES-26']);
});

test('says that Linear is down', async ({ page, request }) => {
  await request.post(`${sandbox}/faults`, { data: { kind: '503', rootField: 'issues', count: null } });
  await page.goto('/');
  await expect(page.getByRole('alert')).toHaveText('Linear cannot be reached. Try again later.');
});
