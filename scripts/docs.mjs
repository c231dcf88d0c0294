/** Builds the site of guides and reference into `docs/site`. Needs what `npm run build` makes. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connectors } from '../dist/index.js';
import { skillDocs } from '../dist/tools.js';
import { run } from './run.mjs';

const folder = 'docs/reference';

/** One section, with its example as code. */
const renderSection = (text) =>
  text
    .replace(/^# /, '### ')
    .replace(/^Example: (\{.*\})$/m, (_, json) => `\`\`\`json\n${JSON.stringify(JSON.parse(json), null, 2)}\n\`\`\``);

/** What each action of a connector takes and gives, in the words that agents read too. */
async function actionsOf(Connector) {
  const description = Connector.describe();
  const docs = await skillDocs(description);
  const sections = description.entities.flatMap(({ name, description: text, actions }) => [
    `## ${name}\n\n${text}`,
    ...actions.map((action) => renderSection(docs.section(`actions.${name}.${action.name}`).text)),
  ]);
  const opening = `Every action of \`${Connector.name}\`, with its parameters and an example. How to go about it stands in the guide of ${description.title}.`;
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
