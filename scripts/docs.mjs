/** Builds the site of guides and reference into `docs/site`. Requires the output of `npm run build`. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connectors } from '../dist/index.js';
import { skillDocs } from '../dist/tools.js';
import { run } from './run.mjs';

const folder = 'docs/reference';

const fence = (language, code) => `\`\`\`${language}\n${code}\n\`\`\``;

/** A value as a TypeScript literal. */
function literalOf(value, indent = '') {
  if (Array.isArray(value)) return `[${value.map((item) => literalOf(item, indent)).join(', ')}]`;
  if (typeof value === 'string')
    return value.includes("'") ? JSON.stringify(value) : `'${value.replaceAll('\\', '\\\\')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const fields = Object.entries(value).map(
    ([key, item]) => `${/^\w+$/.test(key) ? key : `'${key}'`}: ${literalOf(item, inner)}`,
  );
  const line = `{ ${fields.join(', ')} }`;
  return line.length < 80 ? line : `{\n${fields.map((field) => `${inner}${field},\n`).join('')}${indent}}`;
}

/** An example for a program, the command line and the agent tools. */
function exampleOf(variable, json) {
  const { entity, action, params = {} } = JSON.parse(json);
  const argument = Object.keys(params).length > 0 ? literalOf(params) : '';
  const call = fence('ts', `const result = await ${variable}.${entity}.${action}(${argument});`);
  return `${call}\n\nAs JSON, for the command line and for agents:\n\n${fence('json', JSON.stringify({ entity, action, params }))}`;
}

/** One section, with its example as code. */
const renderSection = (text, variable) =>
  text.replace(/^# /, '### ').replace(/^Example: (\{.*\})$/m, (_, json) => exampleOf(variable, json));

/** Variable name of a connector in code: `googleDrive`. */
const variableOf = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** Parameters and results of each action, in the same words as in the agent tools. */
async function actionsOf(Connector) {
  const description = Connector.describe();
  const docs = await skillDocs(description);
  const variable = variableOf(description.name);
  const sections = description.entities.flatMap(({ name, description: text, actions }) => [
    `## ${name}\n\n${text}`,
    ...actions.map((action) => renderSection(docs.section(`actions.${name}.${action.name}`).text, variable)),
  ]);
  const opening = `Every action of \`${Connector.name}\`, with its parameters and an example. Each
resolves to \`{ data, meta }\`. In the examples, \`${variable}\` is a \`new ${Connector.name}({ credentials })\` from
\`agent-connectors/${description.name}\`. The ${description.title} guide explains how to use it.`;
  return [`# Actions of ${description.title}`, opening, ...sections, ''].join('\n\n');
}

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, load] of Object.entries(connectors)) {
  await writeFile(`${folder}/${name}.md`, await actionsOf(await load()));
}

const { ok, output } = await run(['npx', '--no-install', 'typedoc', ...process.argv.slice(2)]);
console.log(output.trimEnd());
process.exitCode = ok ? 0 : 1;
