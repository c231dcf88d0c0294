import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts' },
  external: [/^agent-connectors/, 'react'],
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  // Frameworks with server components load hooks in the browser only from modules with this line.
  banner: { js: "'use client';" },
  clean: true,
  dts: false,
  silent: true,
});
