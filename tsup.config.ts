import { readdirSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** A folder under `connectors/` is an entry of the package: a new connector needs no line here. */
const connectors = readdirSync('connectors', { withFileTypes: true }).filter((entry) => entry.isDirectory());

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    node: 'src/node/index.ts',
    ...Object.fromEntries(connectors.map(({ name }) => [name, `connectors/${name}/index.ts`])),
  },
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  external: ['zod', 'ky', 'p-retry', /^node:/],
  splitting: true,
  clean: true,
  dts: false,
  silent: true,
  esbuildOptions: (options) => {
    options.chunkNames = 'chunks/[name]-[hash]';
  },
});
