import { readdirSync } from 'node:fs';

/** What a program loads to use one connector; each folder under `connectors/` is held to the same limit. */
const connectors = readdirSync('connectors', { withFileTypes: true }).filter((entry) => entry.isDirectory());

export default [
  { name: 'library, all that an import loads', path: ['dist/index.js', 'dist/chunks/*.js'], limit: '24 kB' },
  ...connectors.map(({ name }) => ({ name, path: `dist/${name}.js`, limit: '10 kB' })),
];
