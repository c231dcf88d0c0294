import { expect, onTestFinished, test } from 'vitest';
import { start } from '../cli/terminal.js';

test.each([true, false])(
  'the start prints a link that signs in, on a terminal (%s) or elsewhere',
  async (interactive) => {
    const running = start(['--dev', '--port', '0', '--print-login-link'], { interactive });
    onTestFinished(async () => {
      running.signal();
      await running.exit;
    });
    const form = /(http:\/\/127\.0\.0\.1:\d+)\/console\/#link=([\w-]{43})/;
    await expect.poll(() => running.out, { interval: 10, timeout: 30_000 }).toMatch(form);
    const [, url = '', link = ''] = form.exec(running.out) ?? [];
    const signIn = () =>
      fetch(`${url}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-console': '1', origin: url },
        body: JSON.stringify({ link }),
      });
    expect((await signIn()).status).toBe(200);
    expect((await signIn()).status).toBe(401);
    const logged = running.out.replace(/^.*#link=.*$/m, '');
    expect(logged).not.toContain(link);
  },
);

test('without the option no link is made', async () => {
  const running = start(['--dev', '--port', '0'], { interactive: true });
  await expect.poll(() => running.out, { interval: 10, timeout: 30_000 }).toContain('listens on');
  running.signal();
  await running.exit;
  expect(running.out).not.toContain('#link=');
});
