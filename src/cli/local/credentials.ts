import { readFile } from 'node:fs/promises';
import type { CommandCall } from '../arguments/specification.js';
import { type AnyClass, allClasses } from '../definitions.js';
import type { CliEnvironment } from '../environment.js';
import { failure } from '../failure.js';
import { type ModeVariables, modesOf, type Variable } from './variables.js';

/** Credentials, and where they were found. */
export interface EnvironmentCredentials {
  readonly mode: string;
  readonly credentials: Readonly<Record<string, string>>;
  /** Names of the variables. */
  readonly variables: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const isSet = (env: Env, { name }: Variable): boolean => (env[name] ?? '').trim() !== '';

interface ModeChoice {
  readonly mode: string;
  readonly fields: ReadonlyArray<{ readonly field: string; readonly variable: Variable; readonly secret: boolean }>;
}

/** The first mode with all fields present; the connector's own variables take precedence over shared ones. */
function chooseMode(modes: readonly ModeVariables[], env: Env): ModeChoice | undefined {
  for (const shared of [false, true]) {
    for (const { mode, fields } of modes) {
      const found = fields.flatMap(({ field, variables, secret }) => {
        const variable = variables.find((each) => (shared || each.own) && isSet(env, each));
        return variable ? [{ field, variable, secret }] : [];
      });
      const complete = fields.every(({ field, required }) => !required || found.some((each) => each.field === field));
      if (complete && found.length > 0) return { mode, fields: found };
    }
  }
  return undefined;
}

const modesFor = (Class: AnyClass) => modesOf(Class.manifest, Class.describe().auth);

/** Whether the environment contains anything for a connector. */
export const hasCredentials = (Class: AnyClass, env: Env): boolean => chooseMode(modesFor(Class), env) !== undefined;

/** The connectors for which the environment contains credentials; throws if there are none. */
export async function classesWithCredentials(environment: CliEnvironment): Promise<AnyClass[]> {
  const { env } = environment;
  const all = await allClasses(environment);
  const found = all.filter((Class) => hasCredentials(Class, env));
  if (found.length > 0) return found;
  const empty = emptyVariable(all.flatMap(modesFor), env);
  throw failure('invalid_credentials', empty ?? 'The environment contains no connector credentials.', {
    hint: 'agent-connectors connectors describe --local lists the variables.',
  });
}

/** A message that names a variable without a value, as in a file of variables that is not filled in. */
function emptyVariable(modes: readonly ModeVariables[], env: Env): string | undefined {
  const variables = modes.flatMap(({ fields }) => fields.flatMap((field) => field.variables));
  const empty = variables.find((variable) => env[variable.name] !== undefined && !isSet(env, variable));
  return empty && `The environment variable ${empty.name} is empty.`;
}

/** Reads a connector's credentials from the environment; errors name what is missing. */
export async function credentialsFrom(
  Class: AnyClass,
  { environment: { env }, secrets }: Pick<CommandCall, 'environment' | 'secrets'>,
): Promise<EnvironmentCredentials> {
  const modes = modesFor(Class);
  const chosen = chooseMode(modes, env);
  if (!chosen) throw missingCredentials(Class.manifest.title, modes, env);
  const entries = await Promise.all(
    chosen.fields.map(async ({ field, variable, secret }) => {
      const value = variable.kind === 'path' ? await readCredentialsFile(variable, env) : env[variable.name]!;
      if (secret) secrets.push(value.trim());
      return [field, value] as const;
    }),
  );
  return {
    mode: chosen.mode,
    credentials: Object.fromEntries(entries),
    variables: chosen.fields.map(({ variable }) => variable.name),
  };
}

async function readCredentialsFile({ name }: Variable, env: Env): Promise<string> {
  try {
    return await readFile(env[name]!.trim(), 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw failure('invalid_credentials', `Could not read the file specified in ${name} (${code}).`, {
      hint: 'The variable must contain the path to a service account’s key file.',
    });
  }
}

/** A mode's variables, as shown in messages. */
export const modeText = ({ fields }: ModeVariables): string =>
  fields
    .map(({ required, variables }) => {
      const [first, ...others] = variables.map(({ name, kind }) => (kind === 'path' ? `${name} (a path)` : name));
      const either = others.length > 0 ? `${first} or ${others.join(' or ')}` : first;
      return required ? either : `[${either}]`;
    })
    .join(', ');

function missingCredentials(title: string, modes: readonly ModeVariables[], env: Env) {
  const partialMode = modes.find(({ fields }) =>
    fields.some(({ variables }) => variables.some((each) => isSet(env, each))),
  );
  const missingFields = partialMode?.fields.filter(
    ({ required, variables }) => required && !variables.some((each) => isSet(env, each)),
  );
  const names = missingFields?.map(({ variables }) => variables[0]!.name) ?? [];
  const message =
    names.length > 0
      ? `Missing environment variables for ${title}: ${names.join(', ')}.`
      : (emptyVariable(modes, env) ?? `The environment contains no credentials for ${title}.`);
  return failure('invalid_credentials', message, { hint: `Set ${modes.map(modeText).join('; or ')}.` });
}
