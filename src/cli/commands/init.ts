import { writeFile } from 'node:fs/promises';
import type { CommandCall } from '../arguments/specification.js';
import { type AnyClass, resolveClass, typeNames } from '../definitions.js';
import { usageError } from '../failure.js';
import { modesOf } from '../local/variables.js';
import { isInteractive, prompt } from '../output/prompt.js';

const defaultFile = 'first-call.mjs';

/** Writes a program that makes one call with credentials from the environment. */
export async function writeFirstProgram({ argument, flags, print, environment }: CommandCall): Promise<void> {
  const { connector_type = await askForType(environment), file = defaultFile } = argument;
  const Class = await resolveClass(connector_type, environment);
  const { text, variables } = programFor(Class);
  await writeFile(file, text, { flag: flags.force ? 'w' : 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw usageError(`${file} exists already.`, { hint: 'Pass --force to replace it, or another "file".' });
  });
  await print.result({
    file,
    next: ['npm install agent-connectors', `${variables.map((name) => `${name}=…`).join(' ')} node ${file}`],
  });
}

/** Asks for the type on a terminal; elsewhere, the error lists the types. */
async function askForType(environment: CommandCall['environment']): Promise<string> {
  const types = (await typeNames(environment)).join(', ');
  if (!isInteractive(environment)) throw usageError('connector_type is missing.', { hint: `Valid: ${types}.` });
  return prompt(`Connector type (${types}): `, environment);
}

/** The program, and the variables that it reads. */
function programFor(Class: AnyClass): { readonly text: string; readonly variables: string[] } {
  const { manifest } = Class;
  const description = Class.describe();
  const mode = modesOf(manifest, description.auth)[0]!;
  const required = mode.fields.filter((field) => field.required);
  const variables = required.map(({ variables: [first] }) => first!.name);
  const name = `${manifest.name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Connector`;
  const credentials = required.map(({ field }, index) => `    ${field}: process.env.${variables[index]} ?? '',`);
  const text = `import { ${name} } from 'agent-connectors/${manifest.name}';

const connector = new ${name}({
  credentials: {
${credentials.join('\n')}
  },
});

const { data } = await connector.execute(${firstCall(description)});
console.log(data);
`;
  return { text, variables };
}

/** The first list without required parameters, or else the first read with the parameters of its example. */
function firstCall({ entities }: ReturnType<AnyClass['describe']>) {
  const reads = entities.flatMap(({ name: entity, actions }) =>
    actions
      .filter(({ effect, hosted_only, binary }) => effect === 'read' && !hosted_only && !binary)
      .map(({ name: action, params, example }) => ({ entity, action, required: params.required, example })),
  );
  const isFree = ({ required }: (typeof reads)[number]) => !Array.isArray(required) || required.length === 0;
  const { entity, action, example } = reads.find(isFree) ?? reads[0]!;
  return `'${entity}', '${action}', ${JSON.stringify(example)}`;
}
