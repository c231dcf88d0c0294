/** Starts `agent-connectors mcp --local` with the values from a desktop client's form. */
import process from 'node:process';

// Clients do not replace the placeholder of an empty field.
const placeholder = /^\$\{user_config\.\w+\}$/;
for (const [name, value] of Object.entries(process.env)) if (placeholder.test(value)) delete process.env[name];

const values = Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('=')));
const connectors = values['--connectors']?.trim();
const hasConnectors = connectors && !placeholder.test(connectors);
process.argv.splice(
  2,
  Number.POSITIVE_INFINITY,
  'mcp',
  '--local',
  ...(hasConnectors ? [`--connectors=${connectors}`] : []),
  ...(values['--allow-writes'] === 'true' ? ['--allow-writes'] : []),
);
await import('./cli/index.js');
