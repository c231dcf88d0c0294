import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^agent-connectors-sandbox$/, replacement: here('sandbox/src/index.ts') },
      { find: /^agent-connectors\/(.+)$/, replacement: here('connectors/$1/index.ts') },
      { find: /^agent-connectors$/, replacement: here('src/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/interop/**', 'test/full/**'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'connectors/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90, branches: 85 },
    },
  },
});
