import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { textFiles } from './scripts/text-files.mjs';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What the unit tests import by package name but get from the sources. */
const sources = [
  { find: /^#default-fetch$/, replacement: here('src/node/default-fetch.ts') },
  { find: /^agent-connectors-service$/, replacement: here('service/src/index.ts') },
  { find: /^agent-connectors-react$/, replacement: here('react/src/index.ts') },
  { find: /^agent-connectors-sandbox$/, replacement: here('sandbox/src/index.ts') },
  { find: /^agent-connectors-sandbox\/testing$/, replacement: here('sandbox/src/testing/index.ts') },
  { find: /^agent-connectors-sandbox\/(.+)$/, replacement: here('sandbox/src/$1.ts') },
  { find: /^agent-connectors\/hosted$/, replacement: here('src/hosted/index.ts') },
  { find: /^agent-connectors\/connect$/, replacement: here('src/connect/index.ts') },
  { find: /^agent-connectors\/wire$/, replacement: here('src/wire/index.ts') },
  { find: /^agent-connectors\/node$/, replacement: here('src/node/index.ts') },
  { find: /^agent-connectors\/tools$/, replacement: here('src/tools/index.ts') },
  { find: /^agent-connectors\/code$/, replacement: here('src/tools/code/index.ts') },
  { find: /^agent-connectors\/setup$/, replacement: here('src/setup/index.ts') },
  { find: /^agent-connectors\/replication$/, replacement: here('src/replication/index.ts') },
  { find: /^agent-connectors\/search$/, replacement: here('src/search/index.ts') },
  { find: /^agent-connectors\/mcp$/, replacement: here('src/mcp/index.ts') },
  { find: /^agent-connectors\/telemetry$/, replacement: here('src/adapters/telemetry.ts') },
  { find: /^agent-connectors\/(.+)\/schemas$/, replacement: here('connectors/$1/schemas.ts') },
  { find: /^agent-connectors\/(.+)$/, replacement: here('connectors/$1/index.ts') },
  { find: /^agent-connectors$/, replacement: here('src/index.ts') },
];

/** Makes guides and the code of threads importable as text, as the build does. */
const texts = {
  name: 'texts',
  transform: (text: string, id: string) =>
    Object.keys(textFiles).some((end) => id.endsWith(end)) ? `export default ${JSON.stringify(text)}` : undefined,
};

/** Folders whose tests need more than the sources. */
const beyondUnit = [
  '**/node_modules/**',
  'test/interop/**',
  'test/adapters/**',
  'test/full/**',
  'test/budgets/**',
  'test/package/**',
  'test/mcp/built/**',
  'test/docs/built/**',
];

/** A test that needs a second attempt is a fault, named by `scripts/check.mjs`; it refuses no change of other things. */
const retry = process.env.CI ? 1 : 0;

/** Settings of tests that run on the sources. */
const onSources = {
  // Files share what they import, which takes longer to load than most of them take to run.
  isolate: false,
  setupFiles: here('test/setup.ts'),
  // A busy machine must not make a test fail.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  retry,
};

export default defineConfig({
  test: {
    // All cores, plus a third worker on a two-core machine: it works while others wait for a clock or a disk.
    maxWorkers: Math.max(3, availableParallelism()),
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'connectors/**/*.ts'],
      // A pattern matches anywhere in a path, and the excluded folders contain folders with the same names.
      exclude: ['sandbox/**', 'service/**', 'test/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90, branches: 85 },
    },
    projects: [
      {
        plugins: [texts],
        resolve: { alias: sources },
        test: {
          name: 'unit',
          ...onSources,
          include: ['test/**/*.test.{ts,tsx}', 'examples/larder/test/*.test.ts'],
          exclude: [...beyondUnit, '**/*.slow.test.ts'],
        },
      },
      {
        plugins: [texts],
        resolve: { alias: sources },
        test: {
          // Several seconds a file: databases, processes, large data.
          name: 'slow',
          ...onSources,
          include: ['test/**/*.slow.test.ts'],
          exclude: beyondUnit,
        },
      },
      {
        test: {
          // Apart, since the compiler needs a core for half a minute, and these measure no time.
          name: 'types',
          typecheck: { enabled: true, only: true, include: ['test/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
        },
      },
      {
        test: {
          name: 'built',
          globalSetup: 'test/package/packed.ts',
          include: ['test/{budgets,package}/**/*.test.ts', 'test/{mcp,docs}/built/*.test.ts'],
          exclude: ['test/package/full/**'],
          retry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        plugins: [texts],
        resolve: { alias: sources },
        test: {
          name: 'long',
          include: ['test/full/**/*.test.ts', 'test/package/full/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
