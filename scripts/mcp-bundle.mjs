/**
 * Builds the MCP bundle and its MCP registry entry: `node scripts/mcp-bundle.mjs [folder] [--publishable]`, after a
 * build. The folder, `release` by default, gets `agent-connectors-<version>.mcpb` and `server.json`. Without a
 * repository in package.json the entry has a placeholder owner, which `--publishable` rejects.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { publisherOf } from './mcp-bundle/publisher.mjs';
import { root } from './run.mjs';

const { values, positionals } = parseArgs({ options: { publishable: { type: 'boolean' } }, allowPositionals: true });
const folder = resolve(positionals[0] ?? join(root, 'release'));
const published = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const publisher = publisherOf(published, values.publishable);

// Loaded late, so that a rejection requires neither a build nor installed packages.
const { fieldsOf, parameterFieldsOf } = await import('./mcp-bundle/fields.mjs');
const { bundleOf } = await import('./mcp-bundle/bundle.mjs');
const { connectors } = await import('../dist/index.js');
const classes = await Promise.all(Object.values(connectors).map((load) => load()));
const descriptions = classes.map((Class) => Class.describe());
const guides = await Promise.all(classes.map((Class) => Class.manifest.setup?.()));
const fields = [...fieldsOf(descriptions), ...parameterFieldsOf(descriptions, guides)];
const description = `${descriptions.map(({ title }) => title).join(', ')} for agents; read-only by default`;

const file = `${published.name}-${published.version}.mcpb`;
const bytes = await bundleOf({ published, publisher, description, fields });
const package_ = { version: published.version, transport: { type: 'stdio' } };
const environmentVariables = fields.map(({ variable, description, secret, isFile }) => ({
  name: variable,
  description,
  isRequired: false,
  isSecret: secret,
  ...(isFile && { format: 'filepath' }),
}));
const entry = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: publisher.name,
  title: 'Agent connectors',
  description,
  version: published.version,
  repository: { url: publisher.repository, source: 'github' },
  packages: [
    {
      registryType: 'npm',
      identifier: published.name,
      ...package_,
      runtimeHint: 'npx',
      packageArguments: [
        { type: 'positional', value: 'mcp' },
        { type: 'positional', value: '--local' },
      ],
      environmentVariables,
    },
    {
      registryType: 'mcpb',
      identifier: `${publisher.repository}/releases/download/v${published.version}/${file}`,
      fileSha256: createHash('sha256').update(bytes).digest('hex'),
      ...package_,
    },
  ],
};

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, file), bytes);
writeFileSync(join(folder, 'server.json'), `${JSON.stringify(entry, undefined, 2)}\n`);
console.log(`${file} (${Math.round(bytes.length / 1e3)} kB), server.json as ${publisher.name}`);
