import { readFileSync } from 'node:fs';
import { connectors, type Manifest } from 'agent-connectors';
import { describe, expect, test } from 'vitest';

const document = readFileSync('docs/security.md', 'utf8');

const sectionOf = (title: RegExp): string => {
  const [, after = ''] = document.split(title);
  return after.split(/^#{2,3} /m)[0]!;
};

describe('docs/security.md', () => {
  test.each(Array.from({ length: 17 }, (_, index) => index + 1))('names a test file for point %i', (point) => {
    expect(sectionOf(new RegExp(`^### ${point}\\. .+$`, 'm'))).toMatch(/^Tests: `(test|sandbox\/src\/testing)\//m);
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
