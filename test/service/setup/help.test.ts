import { describe, expect, test } from 'vitest';
import { startSetup } from './start.js';

/** The vendors' own hosts. */
const own: Readonly<Record<string, RegExp>> = {
  linear: /^linear\.app$/,
  gong: /^help\.gong\.io$/,
  granola: /^docs\.granola\.ai$/,
  'google-drive': /^(developers|cloud)\.google\.com$/,
  'google-analytics': /^(developers|cloud)\.google\.com$/,
};

describe.each(Object.keys(own))('the credentials page of %s', (type) => {
  test('explains where to find the first input of each method, with a link to the vendor', async () => {
    const running = await startSetup();
    const { page } = await running.beginAndOpen(type);
    const ways = page.forms.filter(({ html }) => /name="step" value="(credentials|authorize)"/.test(html));
    expect(ways.length).toBeGreaterThan(0);
    for (const { html } of ways) {
      const [first] = html.match(/id="[^"]*-hint">[\s\S]*?<\/div>/)!;
      const link = /<a href="([^"]*)" target="_blank" rel="noreferrer">[\w ]+ documentation/.exec(first);
      expect(link, first).not.toBeNull();
      const { protocol, hostname } = new URL(link![1]!);
      expect([protocol, hostname]).toEqual(['https:', expect.stringMatching(own[type]!)]);
    }
  });
});
