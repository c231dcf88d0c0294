import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    server: 'src/server.ts',
    register: 'src/register.ts',
    msw: 'src/msw.ts',
    testing: 'src/testing/index.ts',
    cli: 'src/cli.ts',
    demo: 'src/demo/index.ts',
  },
  external: [/^agent-connectors/],
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  splitting: true,
  clean: true,
  dts: false,
  silent: true,
});
