import { existsSync, readFileSync } from 'node:fs';
import { connectors, type Manifest } from 'agent-connectors';
import { describe, expect, test } from 'vitest';

const document = readFileSync('docs/security.md', 'utf8');

/** Lines such as: - `test/x.test.ts`: "a title", "another". */
const named = [...document.matchAll(/^- `((?:test|sandbox\/src\/testing)\/[^`]+)`: (.+)$/gm)].map(
  ([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
  }),
);

/** A title as it may be written in a test's source. */
const written = (title: string): string[] => {
  const escaped = title.replaceAll("'", "\\'");
  return [`'${title}'`, `"${title}"`, `\`${title}\``, `'${escaped}'`];
};

const sectionOf = (title: RegExp): string => {
  const [, after = ''] = document.split(title);
  return after.split(/^#{2,3} /m)[0]!;
};

describe('docs/security.md', () => {
  test('lists tests on every line that starts with a test file', () => {
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter(({ titles }) => titles.length === 0)).toEqual([]);
    expect([...document.matchAll(/^- `(test|sandbox\/src\/testing)\//gm)]).toHaveLength(named.length);
  });

  test.each(named.map(({ file, titles }) => [file, titles] as const))(
    'lists only existing tests of %s',
    (file, titles) => {
      expect(existsSync(file)).toBe(true);
      const source = readFileSync(file, 'utf8');
      expect(titles.filter((title) => !written(title).some((text) => source.includes(text)))).toEqual([]);
    },
  );

  test.each(Array.from({ length: 17 }, (_, index) => index + 1))('has a test for point %i', (point) => {
    expect(sectionOf(new RegExp(`^### ${point}\\. .+$`, 'm'))).toMatch(/^- `(test|sandbox\/src\/testing)\//m);
  });

  test('lists every scope that a connector requests', async () => {
    for (const load of Object.values(connectors)) {
      const { manifest } = (await load()) as unknown as { readonly manifest: Manifest };
      for (const { oauth } of Object.values(manifest.auth)) {
        for (const scope of oauth?.authorize?.scopes ?? []) expect(document).toMatch(new RegExp(`[\`,]${scope}[\`,]`));
      }
    }
  });

  test('has a row for the scopes of every connector', async () => {
    const table = sectionOf(/^### 8\. .+$/m);
    for (const load of Object.values(connectors)) {
      const { manifest } = (await load()) as unknown as { readonly manifest: Manifest };
      expect(table).toContain(`| ${manifest.title} |`);
    }
  });
});
