import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { build } from 'tsup';
import { bundled, noticesOf } from '../bundled.mjs';
import { root } from '../run.mjs';

/** Tools that `agent-connectors mcp` offers without write access. */
const tools = [
  { name: 'inspect_connector', description: 'Lists the connectors and what they can do.' },
  { name: 'read_skill_docs', description: 'Explains how to call a connector’s actions.' },
  { name: 'execute', description: 'Runs a read-only action of a connector.' },
];

/** The bundle's manifest: https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md */
function manifestOf({ published, publisher, description, fields }) {
  const option = ({ key }) => `\${user_config.${key}}`;
  return {
    manifest_version: '0.3',
    name: published.name,
    display_name: 'Agent connectors',
    version: published.version,
    description,
    author: { name: published.author },
    ...(published.repository && { repository: { type: 'git', url: publisher.repository } }),
    license: published.license,
    keywords: published.keywords,
    server: {
      type: 'node',
      entry_point: 'server/main.js',
      mcp_config: {
        command: 'node',
        args: [
          `\${__dirname}/server/main.js`,
          `--connectors=${option({ key: 'connectors' })}`,
          `--allow-writes=${option({ key: 'allow_writes' })}`,
        ],
        env: Object.fromEntries(fields.map((field) => [field.variable, option(field)])),
      },
    },
    tools,
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: published.engines.node } },
    user_config: {
      ...Object.fromEntries(
        fields.map(({ key, title, description, secret, isFile }) => [
          key,
          {
            type: isFile ? 'file' : 'string',
            title,
            description,
            required: false,
            ...(secret && { sensitive: true }),
          },
        ]),
      ),
      connectors: {
        type: 'string',
        title: 'Connectors',
        description: 'Comma-separated names, such as linear,gong; if empty, all connectors that have credentials.',
        required: false,
        default: '',
      },
      allow_writes: {
        type: 'boolean',
        title: 'Allow writes',
        description: 'Offers actions that change data. If this is off, nothing can be changed.',
        required: false,
        default: false,
      },
    },
  };
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

/** The bundle's bytes: the built command with its imports, the launcher, and the manifest. */
export async function bundleOf(context) {
  const built = mkdtempSync(join(tmpdir(), 'agent-connectors-bundle-'));
  try {
    await build({
      config: false,
      silent: true,
      dts: false,
      clean: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      splitting: true,
      entry: { index: join(root, 'dist/cli/index.js') },
      noExternal: [/./],
      outDir: built,
    });
    const packages = new Map(
      [...bundled('.'), ...bundled('.', built)].map((each) => [`${each.name}@${each.version}`, each]),
    );
    const { name, version, type, license, engines } = context.published;
    const text = (value) => Buffer.from(typeof value === 'string' ? value : `${JSON.stringify(value, undefined, 2)}\n`);
    const files = {
      'manifest.json': text(manifestOf(context)),
      'package.json': text({ name, version, type, license, engines }),
      LICENSE: readFileSync(join(root, 'LICENSE')),
      'NOTICES.txt': text(noticesOf([...packages.values()])),
      'server/main.js': readFileSync(join(root, 'scripts/mcp-bundle/main.js')),
      ...Object.fromEntries(
        filesIn(built).map((path) => [
          `server/cli/${path.slice(built.length + 1).replaceAll('\\', '/')}`,
          readFileSync(path),
        ]),
      ),
    };
    // Reproducible: a fixed date gives the same bytes on any day.
    return Buffer.from(zipSync(files, { level: 9, mtime: new Date(1980, 0, 1) }));
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}
