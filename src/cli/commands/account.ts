import { nearest } from '../../errors/nearest.js';
import type { WhoAmI } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { revokeAccess } from '../authorization.js';
import { failure, usageError } from '../failure.js';
import { openSession } from '../hosted.js';
import { readSettings, removeSettings, settingsFile, writeSettings } from '../settings.js';

interface NamedResource {
  readonly id: string;
  readonly name: string;
  readonly created_at?: string;
}

/** Deletes the client id and secret, or ends the sign-in. */
export async function logout({ print, environment }: CommandCall): Promise<void> {
  const settings = await readSettings(environment).catch(() => undefined);
  const revoked = settings && 'sign_in' in settings ? await revokeAccess(settings, environment) : undefined;
  const removed = await removeSettings(environment);
  const isStillSet = Boolean(environment.env.AGENT_CONNECTORS_CLIENT_ID);
  await print.result({
    logged_out: true,
    removed: removed ? settingsFile(environment) : null,
    ...(revoked !== undefined && { revoked }),
    ...(isStillSet && { hint: 'AGENT_CONNECTORS_CLIENT_ID is still set, and commands still use it.' }),
  });
}

/** Opens the console, or prints its URL if there is no browser. */
export async function openConsole(call: CommandCall): Promise<void> {
  const { baseUrl } = await openSession(call);
  const url = `${baseUrl}/console/`;
  await call.print.result({ url, opened: !call.flags['no-browser'] && call.environment.browse(url) });
}

/** Prints the caller's identity in the service. */
export async function whoami(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const me = await session.get<WhoAmI>('/account/me');
  await call.print.result({
    base_url: session.baseUrl,
    ...me,
    workspace: session.workspace,
    credentials_from: session.source === 'environment' ? 'environment' : settingsFile(call.environment),
  });
}

/** Lists the organizations that the client can act in. */
export async function listOrganizations(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const [{ data }, me] = await Promise.all([
    session.get<{ data: NamedResource[] }>('/organizations'),
    session.get<WhoAmI>('/account/me'),
  ]);
  const current = session.organizationId ?? me.organization_id;
  await call.print.result({ data: data.map((each) => ({ ...each, current: each.id === current })) });
}

/** Selects the organization for later commands. */
export async function useOrganization(call: CommandCall): Promise<void> {
  const { argument, print, environment } = call;
  const wanted = argument.id ?? argument.name;
  if (wanted === undefined) throw usageError('Missing organization. Pass its id or name.');
  const settings = await readSettings(environment);
  if (!settings) {
    throw failure('unauthorized', 'You are not logged in, so the choice cannot be saved.', {
      hint: 'Run agent-connectors login, or set AGENT_CONNECTORS_ORGANIZATION_ID.',
    });
  }
  const session = await openSession(call);
  const { data } = await session.get<{ data: NamedResource[] }>('/organizations');
  const found = data.filter(({ id, name }) => id === wanted || name === wanted);
  const [organization, other] = found;
  if (!organization) {
    const close = nearest(
      wanted,
      data.flatMap(({ id, name }) => [id, name]),
    );
    throw failure('not_found', `Organization not found.${close ? ` Did you mean '${close}'?` : ''}`, {
      hint: `Available: ${data.map(({ id, name }) => `${name} (${id})`).join(', ')}.`,
    });
  }
  if (other)
    throw usageError('Several organizations have this name; pass an id.', {
      hint: `Matches: ${found.map(({ id }) => id).join(', ')}.`,
    });
  await writeSettings(environment, { ...settings, organization_id: organization.id });
  const overruled = Boolean(environment.env.AGENT_CONNECTORS_ORGANIZATION_ID);
  await print.result({
    organization_id: organization.id,
    name: organization.name,
    ...(overruled && { hint: 'AGENT_CONNECTORS_ORGANIZATION_ID is set and overrides this choice.' }),
  });
}

/** Lists the organization's workspaces. */
export async function listWorkspaces(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const { data } = await session.client.workspaces.list(call.argument);
  await call.print.result({ data: data.map((each) => ({ ...each, current: each.name === session.workspace })) });
}

/** Creates a workspace. */
export async function createWorkspace(call: CommandCall): Promise<void> {
  const name = call.argument.name ?? call.argument.workspace;
  if (name === undefined) throw usageError('Pass a workspace name: {"name":"sales"}.');
  const session = await openSession(call);
  await call.print.result(await session.send('POST', '/workspaces', { name }));
}

/** Creates a workspace token. */
export async function createToken(call: CommandCall): Promise<void> {
  const { workspace, scopes, expires_in: wanted } = call.argument;
  const session = await openSession(call);
  const workspace_name = workspace ?? session.workspace;
  const { expires_in, ...made } = await session.client.scopedToken(workspace_name, {
    ...(scopes && { scopes }),
    ...(wanted !== undefined && { expires_in: wanted }),
  });
  const expires_at = expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000).toISOString();
  await call.print.result({ workspace_name, ...made, expires_in: expires_in ?? null, expires_at });
}
