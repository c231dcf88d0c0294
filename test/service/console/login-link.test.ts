import { readFileSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { start } from '../cli/terminal.js';

test.each([true, false])(
  'startup prints a single-use sign-in link on a terminal, and otherwise writes it to a private file (terminal: %s)',
  async (interactive) => {
    const running = start(['--dev', '--port', '0', '--print-login-link'], { interactive });
    onTestFinished(async () => {
      running.signal();
      await running.exit;
    });
    const said = interactive ? /Sign in to the console: (.*)/ : /"login_link_file":"([^"]*)"/;
    await expect.poll(() => running.out, { interval: 10 }).toMatch(said);
    const [, place = ''] = said.exec(running.out) ?? [];
    const address: string = interactive ? place : JSON.parse(readFileSync(place, 'utf8')).login_link;
    const [, url = '', link = ''] = /^(http:\/\/127\.0\.0\.1:\d+)\/console\/#link=([\w-]{43})$/.exec(address) ?? [];
    const signIn = () =>
      fetch(`${url}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-console': '1', origin: url },
        body: JSON.stringify({ link }),
      });
    expect((await signIn()).status).toBe(200);
    expect((await signIn()).status).toBe(401);
    expect(running.out.replace(/^Sign in.*$/m, '')).not.toContain(link);
    if (!interactive) expect(statSync(place).mode & 0o777).toBe(0o600);
  },
);

test('does not create a link without the option', async () => {
  const running = start(['--dev', '--port', '0'], { interactive: true });
  await expect.poll(() => running.out, { interval: 10 }).toContain('is listening on');
  running.signal();
  await running.exit;
  expect(running.out).not.toContain('#link=');
});
