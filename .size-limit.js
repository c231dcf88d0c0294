import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A built file and everything it imports immediately; what is loaded later, on demand, is not counted. */
function loaded(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\b[^;]*?\bfrom ?"(\.[^"]+)"|^import ?"(\.[^"]+)"/gm,
  );
  for (const [, from, bare] of imports) loaded(join(dirname(file), from ?? bare), found);
  return found;
}

/** Each folder under `connectors/` is held to the same limit. */
const connectors = readdirSync('connectors', { withFileTypes: true }).filter((entry) => entry.isDirectory());

export default [
  { name: 'library, all that an import loads', path: [...loaded('dist/index.js')], limit: '45 kB' },
  { name: 'console of the service, all of it', path: 'service/dist/console/**', limit: '120 kB' },
  { name: 'hosted client', path: 'dist/hosted.js', limit: '5 kB' },
  { name: 'connect, in the browser', path: [...loaded('dist/connect.js')], limit: '3 kB' },
  { name: 'React components, excluding the library', path: 'react/dist/index.js', limit: '2 kB' },
  { name: 'agent tools, all that an import loads', path: [...loaded('dist/tools.js')], limit: '44 kB' },
  { name: 'code mode, without the engine', path: [...loaded('dist/code.js')], limit: '33 kB' },
  { name: 'MCP server, excluding the MCP SDK', path: [...loaded('dist/mcp.js')], limit: '59 kB' },
  { name: 'telemetry', path: 'dist/telemetry.js', limit: '1.5 kB' },
  ...['ai-sdk', 'openai', 'anthropic', 'langchain'].map((name) => ({
    name: `adapter ${name}`,
    path: [...loaded(`dist/${name}.js`)],
    limit: '1 kB',
  })),
  ...connectors.map(({ name }) => ({ name, path: `dist/${name}.js`, limit: '12 kB' })),
];
