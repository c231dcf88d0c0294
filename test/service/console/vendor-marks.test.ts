import { expect, test } from 'vitest';
import { startSetup } from '../setup/start.js';
import { startConsoleService } from './setup.js';

/** Contrast with white (WCAG 2.2). */
function contrastWithWhite(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * r! + 0.7152 * g! + 0.0722 * b! + 0.05);
}

test('the console session lists connector types with readable and distinct marks', async () => {
  const { ask, signIn } = await startConsoleService();
  const { body } = await ask('GET', '/console/session', { cookie: await signIn() });
  const types: Array<{ name: string; title: string; mark: { letters: string; color: string } }> = body.types;
  expect(types.map(({ title, mark }) => `${mark.letters} ${title}`).sort()).toEqual([
    'GA Google Analytics',
    'GD Google Drive',
    'Go Gong',
    'Gr Granola',
    'Li Linear',
  ]);
  for (const { name, mark } of types) expect(contrastWithWhite(mark.color), name).toBeGreaterThanOrEqual(4.5);
  expect(new Set(types.map(({ mark }) => mark.color)).size).toBe(types.length);
});

test('the setup page for connector types shows the marks', async () => {
  const { begin, browser } = await startSetup();
  const page = await browser().open((await begin(undefined)).url);
  expect(page.html.match(/<svg /g)).toHaveLength(5);
  expect(page.html).toContain('fill="#5e6ad2"');
});
