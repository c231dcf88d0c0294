import type { WhoAmI } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { usageError } from '../failure.js';
import { sessionWith } from '../hosted.js';
import { isInteractive, prompt } from '../output/prompt.js';
import { type Settings, settingsFile, writeSettings } from '../settings.js';

const defaultBaseUrl = 'http://127.0.0.1:4020';

/** Reads a client id and secret, verifies them with the service, and stores them for this user only. */
export async function login(call: CommandCall): Promise<void> {
  const { print, environment } = call;
  const settings = await collectSettings(call);
  const session = sessionWith(call, settings);
  const me = await session.get<WhoAmI>('/account/me');
  const organization = settings.organization_id ?? me.organization_id ?? undefined;
  await writeSettings(environment, {
    base_url: session.baseUrl,
    client_id: settings.client_id,
    client_secret: settings.client_secret,
    ...(organization !== undefined && { organization_id: organization }),
    ...(settings.workspace !== undefined && { workspace: settings.workspace }),
  });
  await print.result({
    logged_in: true,
    base_url: session.baseUrl,
    client_id: me.client_id,
    organization_id: organization ?? null,
    organizations: me.organizations,
    settings_file: settingsFile(environment),
    ...(organization === undefined && {
      hint: 'You have several organizations: choose one with agent-connectors organizations use.',
    }),
  });
}

/** Settings from the argument, the environment, or the terminal. */
async function collectSettings({ argument, environment, secrets }: CommandCall): Promise<Settings> {
  const { env } = environment;
  const terminal = isInteractive(environment);
  const read = async (key: keyof Settings, variable: string, question: string, fallback = '', hidden = false) => {
    const given = argument[key] ?? env[`AGENT_CONNECTORS_${variable}`]?.trim();
    if (given) return given as string;
    const typed = terminal ? await prompt(question, environment, hidden) : '';
    if (typed !== '' || fallback !== '') return typed || fallback;
    throw usageError(`login needs a ${key}, but there is no terminal to prompt on.`, {
      hint: 'Pipe {"base_url":…,"client_id":…,"client_secret":…} into agent-connectors login -, or set AGENT_CONNECTORS_BASE_URL, _CLIENT_ID and _CLIENT_SECRET.',
    });
  };
  const base_url = await read(
    'base_url',
    'BASE_URL',
    `Service URL [${defaultBaseUrl}]: `,
    terminal ? defaultBaseUrl : '',
  );
  const client_id = await read('client_id', 'CLIENT_ID', 'Client id: ');
  const client_secret = await read('client_secret', 'CLIENT_SECRET', 'Client secret (not shown): ', '', true);
  secrets.push(client_secret);
  return {
    base_url,
    client_id,
    client_secret,
    organization_id: argument.organization_id ?? (env.AGENT_CONNECTORS_ORGANIZATION_ID || undefined),
    workspace: argument.workspace ?? (env.AGENT_CONNECTORS_WORKSPACE || undefined),
  };
}
