import { parseBaseUrl } from '../../hosted/options.js';
import type { WhoAmI } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { usageError } from '../failure.js';
import { sessionWith } from '../hosted.js';
import { isInteractive, prompt } from '../output/prompt.js';
import { type ClientSettings, type Settings, settingsFile, writeSettings } from '../settings.js';
import { logInWithBrowser } from './browser-login.js';

const defaultBaseUrl = 'http://127.0.0.1:4020';

/** Verifies a client id and secret, or lets a person sign in with a browser, and stores the result for this user only. */
export async function login(call: CommandCall): Promise<void> {
  const { print, environment } = call;
  const settings = await collectSettings(call);
  const session = sessionWith(call, settings);
  const me = await session.get<WhoAmI>('/account/me');
  const organization = settings.organization_id ?? me.organization_id ?? undefined;
  // The person has chosen the workspace in the browser.
  const workspace = me.workspace_name ?? settings.workspace;
  await writeSettings(environment, {
    ...settings,
    base_url: session.baseUrl,
    organization_id: organization,
    workspace,
  });
  await print.result({
    logged_in: true,
    base_url: session.baseUrl,
    client_id: me.client_id,
    organization_id: organization ?? null,
    organizations: me.organizations,
    ...('sign_in' in settings && { workspace, scopes: me.scopes }),
    settings_file: settingsFile(environment),
    ...(organization === undefined && {
      hint: 'You have several organizations: choose one with agent-connectors organizations use.',
    }),
  });
}

/** Settings from the argument, the environment, or the terminal. */
async function collectSettings({ argument, flags, environment, secrets }: CommandCall): Promise<Settings> {
  const { env } = environment;
  const terminal = isInteractive(environment);
  const read = async (
    key: keyof ClientSettings,
    variable: string,
    question: string,
    fallback?: string,
    hidden = false,
  ) => {
    const given = argument[key] ?? env[`AGENT_CONNECTORS_${variable}`]?.trim();
    if (given) return given as string;
    const typed = terminal ? await prompt(question, environment, hidden) : '';
    if (typed !== '' || fallback !== undefined) return typed || fallback!;
    throw usageError(`login needs a ${key}, but there is no terminal to prompt on.`, {
      hint: 'Pipe {"base_url":…,"client_id":…,"client_secret":…} into agent-connectors login -, or set AGENT_CONNECTORS_BASE_URL, _CLIENT_ID and _CLIENT_SECRET.',
    });
  };
  const base_url = await read(
    'base_url',
    'BASE_URL',
    `Service URL [${defaultBaseUrl}]: `,
    terminal ? defaultBaseUrl : undefined,
  );
  const organization_id = argument.organization_id ?? (env.AGENT_CONNECTORS_ORGANIZATION_ID || undefined);
  const workspace = argument.workspace ?? (env.AGENT_CONNECTORS_WORKSPACE || undefined);
  const question = 'Client id (press Enter to log in with a browser): ';
  const client_id = await read('client_id', 'CLIENT_ID', question, terminal ? '' : undefined);
  if (client_id === '') {
    const baseUrl = parseBaseUrl(base_url);
    const sign_in = await logInWithBrowser(baseUrl, environment, !flags['no-browser']);
    return { base_url: baseUrl, sign_in, organization_id, workspace };
  }
  const client_secret = await read('client_secret', 'CLIENT_SECRET', 'Client secret (not shown): ', undefined, true);
  secrets.push(client_secret);
  return { base_url, client_id, client_secret, organization_id, workspace };
}
