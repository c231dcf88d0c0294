import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { defaultOverlapSeconds } from 'agent-connectors/wire';
import { requireState } from '../data/state/location.js';
import { openState } from '../data/state/open.js';
import { type Client, tokenScopes } from '../data/state/rows.js';
import type { State } from '../data/state/types.js';
import { chooseKeys } from '../data/vault/choose.js';
import { folderForFiles } from '../domain/accounts/client-folder.js';
import { writeClientFile } from '../domain/accounts/first-start.js';
import { recordClientChange, runAs } from '../domain/audit/record-audit.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Creates an organization with a workspace named `default`. */
export const createOrganization = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async (state) => {
    const organization = await state.organizations.create(requireName(args));
    await state.workspaces.create(organization.id, 'default');
    terminal.out(
      args.json ? `${JSON.stringify({ id: organization.id, name: organization.name })}\n` : `${organization.id}\n`,
    );
  });

/**
 * Creates a client. Its secret is printed if the output is a terminal or if requested; otherwise it is written to a
 * file.
 */
export const createClient = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async (state) => {
    const organizationIds = await resolveOrganizations(args, state);
    const { client, secret } = await state.clients.create(requireName(args), organizationIds, args.scopes, args.asUser);
    recordClient(state, 'client.created', client);
    const credentials = { client_id: client.id, client_secret: secret, organization_id: organizationIds[0]! };
    if (args.json) return terminal.out(`${JSON.stringify(credentials)}\n`);
    if (terminal.interactive) return terminal.out(formatCredentials(credentials));
    const path = resolve(folderForFiles(stateLocation(args.options)).folder, `client-${client.id}.json`);
    await writeOrDeleteClient(state, client, path, credentials);
    terminal.out(`${path}\n`);
  });

export const listClients = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async (state) => {
    const all = await state.organizations.all();
    const clients = (await state.clients.list()).map(({ id, name, organizationIds, scopes, asUser, createdAt }) => ({
      id,
      name,
      organizations: organizationIds.flatMap((own) =>
        all.filter((organization) => organization.id === own).map(({ id, name }) => ({ id, name })),
      ),
      scopes,
      ...(asUser && { as_user: asUser.email, as_groups: asUser.groups }),
      created_at: createdAt,
    }));
    if (args.json) return terminal.out(`${JSON.stringify(clients)}\n`);
    for (const { id, name, organizations, scopes, as_user, as_groups = [], created_at } of clients) {
      const where = organizations.map((organization) => `${organization.name} (${organization.id})`).join(', ');
      const groups = as_groups.length > 0 ? ` in groups ${as_groups.join(', ')}` : '';
      const bound = as_user ? `  as ${as_user}${groups}` : '';
      terminal.out(`${id}  ${created_at}  ${name}  in ${where}  ${scopes.join(',')}${bound}\n`);
    }
  });

/** Deletes a client and invalidates its tokens. */
export const deleteClient = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async (state) => {
    const client = await requireClient(args, state);
    const { id } = client;
    if (!(await state.clients.delete(id))) throw noClientError(id);
    recordClient(state, 'client.deleted', client);
    terminal.out(args.json ? `${JSON.stringify({ id })}\n` : `Deleted ${id}.\n`);
  });

/** Changes a client's scopes, or its user and groups; existing tokens lose what was removed within half a second. */
export const updateClient = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async (state) => {
    const client = await requireClient(args, state);
    const { id } = client;
    const { scopes = client.scopes } = args;
    const asUser = args.asUser ?? client.asUser;
    if (args.scopes) {
      if (!(await state.clients.setScopes(id, scopes))) throw noClientError(id);
      recordClient(state, 'client.scopes_changed', client, { scopes });
    }
    if (args.asUser) {
      if (!(await state.clients.setUser(id, args.asUser))) throw noClientError(id);
      recordClient(state, 'client.user_changed', client, args.asUser);
    }
    const bound = asUser && { as_user: asUser.email, as_groups: asUser.groups };
    if (args.json) return terminal.out(`${JSON.stringify({ id, scopes, ...bound })}\n`);
    const groups = asUser && (asUser.groups.length > 0 ? ` in groups ${asUser.groups.join(', ')}` : ' in no groups');
    terminal.out(`${id} has ${scopes.join(', ')}${asUser ? `, as ${asUser.email}${groups}` : ''}.\n`);
  });

/** Replaces a client's secret; the new one is printed or written to a file, as for a new client. */
export const rollSecret = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async (state) => {
    const client = await requireClient(args, state);
    const { id, organizationIds } = client;
    const overlapMs = (args.overlapSeconds ?? defaultOverlapSeconds) * 1000;
    const rolled = await state.clients.rollSecret(id, overlapMs, args.endTokens || undefined);
    if (!rolled) throw noClientError(id);
    recordClient(state, 'client.secret_rolled', client);
    const { secret, previousUntil } = rolled;
    const credentials = { client_id: id, client_secret: secret, organization_id: organizationIds[0]! };
    const until = previousUntil === null ? null : new Date(previousUntil).toISOString();
    if (args.json) return terminal.out(`${JSON.stringify({ ...credentials, previous_valid_until: until })}\n`);
    if (terminal.interactive) {
      terminal.out(formatCredentials(credentials));
      return terminal.out(
        until ? `The previous secret works until ${until}.\n` : 'The previous secret no longer works.\n',
      );
    }
    const { folder } = folderForFiles(stateLocation(args.options));
    const path = resolve(folder, `client-${id}-${randomUUID()}.json`);
    writeClientFile(path, credentials);
    terminal.out(`${path}\n`);
  });

/** The client that a command names by id or name. */
async function requireClient({ rest: [named = ''] }: Arguments, { clients }: State): Promise<Client> {
  const found = await clients.get(named);
  if (found) return found;
  const [client, ...others] = (await clients.list()).filter(({ name }) => name === named);
  if (!client) throw noClientError(named);
  if (others.length === 0) return client;
  const ids = [client, ...others].map(({ id }) => id).join(', ');
  throw new Error(`More than one client is named '${named}': ${ids}. Pass an id.`);
}

const noClientError = (id: string) => new Error(`Client ${id} not found. Run list-clients to see all clients.`);

/** Records an operator's change to a client in the audit log. */
export const recordClient = ({ audit }: State, event: string, client: Client, params?: object): void =>
  runAs({ clientId: client.id, scopes: tokenScopes, via: 'cli', requestId: null, address: undefined }, () =>
    recordClientChange(audit, event, client, params),
  );

/** Formats credentials for terminal output. */
export const formatFields = (credentials: Readonly<Record<string, string>>): string =>
  Object.entries(credentials)
    .map(([name, value]) => `  ${name.padEnd(15)} ${value}\n`)
    .join('');

const formatCredentials = (credentials: Readonly<Record<string, string>>): string =>
  `${formatFields(credentials)}The secret is shown only once. Save it now.\n`;

/** Writes a client's secret to a new file, and deletes the client if that fails. */
export async function writeOrDeleteClient(
  state: State,
  client: Client,
  path: string,
  credentials: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    writeClientFile(path, credentials);
  } catch (cause) {
    await state.clients.delete(client.id);
    recordClient(state, 'client.deleted', client);
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new Error(
      exists ? `File ${path} already exists: move it first.` : `No client was created: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Opens the state for the duration of one command. */
export async function withState(args: Arguments, work: (state: State) => Promise<void>): Promise<void> {
  const { options } = args;
  const location = stateLocation(options);
  if (args.command !== 'create-organization') requireState(location);
  const keys = await chooseKeys({ ...options, ...location });
  const state = await openState({ ...location, keys, now: options.now, auditFile: options.auditFile });
  try {
    await work(state);
  } finally {
    await state.close();
  }
}

function requireName({ command, name }: Arguments): string {
  if (name === undefined || name.trim() === '') throw new Error(`${command} needs a --name.`);
  return name.trim();
}

/** Resolves organizations by id or name; if there is only one, it is the default. */
export async function resolveOrganizations(
  { organizations: idsOrNames }: Pick<Arguments, 'organizations'>,
  { organizations }: State,
): Promise<readonly string[]> {
  const all = await organizations.all();
  const list = all.map(({ id, name }) => `${id} (${name})`).join(', ');
  if (idsOrNames.length === 0) {
    if (all.length === 1) return [all[0]!.id];
    throw new Error(list ? `Pass --organization: ${list}.` : 'There are no organizations. Run create-organization.');
  }
  return idsOrNames.map((text) => {
    const [match, ...more] = all.filter(({ id, name }) => id === text || name === text);
    if (!match || more.length > 0) {
      throw new Error(
        `${match ? 'More than one' : 'No'} organization matches '${text}'. Organizations: ${list || 'none'}.`,
      );
    }
    return match.id;
  });
}
