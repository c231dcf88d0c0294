import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    cli: 'src/cli/main.ts',
    'store-worker': 'src/data/records/drivers/sqlite/worker.ts',
    'embedder-worker': 'src/data/search/embedding/onnx/worker.ts',
    'static-embedder-worker': 'src/data/search/embedding/static/worker.ts',
    'text-worker': 'src/data/text/worker.ts',
    'parser-worker': 'src/web/api/parser-worker.ts',
  },
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  splitting: true,
  clean: true,
  dts: false,
  silent: true,
});
