import { expect, test } from 'vitest';
import { startConsoleService } from './setup.js';

test('the root of the service leads to the console', async () => {
  const { service } = await startConsoleService();
  const response = await fetch(`${service.url}/`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/console']);
  const posted = await fetch(`${service.url}/`, { method: 'POST' });
  expect(posted.status).toBe(404);
});
