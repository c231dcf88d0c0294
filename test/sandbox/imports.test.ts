import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../sandbox/src', import.meta.url));
const importsOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import |export |\} )(?:.* )?(?:from )?'([^']+)';$/gm)]
    .filter(([line]) => /from '|^import '/.test(line))
    .map(([, name]) => name!);
const target = (file: string, name: string) => relative(root, join(root, dirname(file), name.replace(/\.js$/, '.ts')));

describe("the sandbox's sources", () => {
  it('import only the graphql package and nothing from the library, except in testing/ and demo/', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(40);
    for (const file of files) {
      for (const name of importsOf(file)) {
        if (name.startsWith('.')) expect(target(file, name), file).not.toMatch(/^\.\./);
        else if (file.startsWith('testing')) expect(name, file).toMatch(/^(agent-connectors|vitest|zod|node:.+)$/);
        else if (file.startsWith('demo')) expect(name, file).toMatch(/^(agent-connectors.*|node:.+)$/);
        else if (file === 'msw.ts') expect(name, file).toMatch(/^(graphql|msw)$/);
        else expect(name, file).toMatch(/^(graphql|node:.+)$/);
      }
    }
  });

  it('do not import Node modules when the sandbox runs in-process', () => {
    const reached = new Set(['index.ts', 'msw.ts']);
    for (const file of reached) {
      for (const name of importsOf(file)) {
        expect(name, file).not.toMatch(/^node:|^msw\//);
        if (name.startsWith('.')) reached.add(target(file, name));
      }
    }
    expect(reached).toContain(join('linear', 'vendor.ts'));
    expect(reached).not.toContain('server.ts');
    expect([...reached].filter((file) => file.startsWith('testing'))).toEqual([]);
  });
});
