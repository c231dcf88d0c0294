import { resolve } from 'node:path';
import { openState } from '../data/state/open.js';
import { requireState } from '../data/state/place.js';
import type { Client } from '../data/state/rows.js';
import type { State } from '../data/state/types.js';
import { chooseKeys } from '../data/vault/choose.js';
import { folderForFiles } from '../domain/accounts/client-folder.js';
import { writeClientFile } from '../domain/accounts/first-start.js';
import { placeOf } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Makes an organisation, with a workspace `default` in it. */
export const createOrganization = (given: Arguments, terminal: Terminal): Promise<void> =>
  withState(given, async (state) => {
    const organization = await state.organizations.create(named(given));
    await state.workspaces.create(organization.id, 'default');
    terminal.out(
      given.json ? `${JSON.stringify({ id: organization.id, name: organization.name })}\n` : `${organization.id}\n`,
    );
  });

/** Makes a client; its secret is printed for a person or on demand, and otherwise put into a file. */
export const createClient = (given: Arguments, terminal: Terminal): Promise<void> =>
  withState(given, async (state) => {
    const organizationIds = await organizationsOf(given, state);
    const { client, secret } = await state.clients.create(named(given), organizationIds);
    const credentials = { client_id: client.id, client_secret: secret, organization_id: organizationIds[0]! };
    if (given.json) return terminal.out(`${JSON.stringify(credentials)}\n`);
    if (terminal.interactive) return terminal.out(shown(credentials));
    const path = resolve(folderForFiles(placeOf(given.options)).folder, `client-${client.id}.json`);
    await writeOrForget(state, client, path, credentials);
    terminal.out(`${path}\n`);
  });

/** Lists the clients. */
export const listClients = (given: Arguments, terminal: Terminal): Promise<void> =>
  withState(given, async (state) => {
    const all = await state.organizations.all();
    const clients = (await state.clients.list()).map(({ id, name, organizationIds, createdAt }) => ({
      id,
      name,
      organizations: organizationIds.flatMap((own) =>
        all.filter((organization) => organization.id === own).map(({ id, name }) => ({ id, name })),
      ),
      created_at: createdAt,
    }));
    if (given.json) return terminal.out(`${JSON.stringify(clients)}\n`);
    for (const { id, name, organizations, created_at } of clients) {
      const where = organizations.map((organization) => `${organization.name} (${organization.id})`).join(', ');
      terminal.out(`${id}  ${created_at}  ${name}  in ${where}\n`);
    }
  });

/** Deletes a client, whose tokens are refused from then on. */
export const deleteClient = (given: Arguments, terminal: Terminal): Promise<void> =>
  withState(given, async (state) => {
    const [id, ...more] = given.rest;
    if (id === undefined || more.length > 0) throw new Error('delete-client takes the id of one client.');
    if (!(await state.clients.delete(id))) throw new Error(`There is no client ${id}.`);
    terminal.out(given.json ? `${JSON.stringify({ id })}\n` : `${id} is deleted.\n`);
  });

/** What a person is shown of a new client. */
export const shown = (credentials: Readonly<Record<string, string>>): string =>
  Object.entries(credentials)
    .map(([name, value]) => `  ${name.padEnd(15)} ${value}\n`)
    .join('')
    .concat('The secret is shown this once: keep it.\n');

/** Puts a client's secret into a new file; where that fails, the client is not made. */
export async function writeOrForget(
  state: State,
  client: Client,
  path: string,
  credentials: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    writeClientFile(path, credentials);
  } catch (cause) {
    await state.clients.delete(client.id);
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new Error(
      exists ? `There is a file ${path} already: move it away.` : `No client was made: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Opens the state for one command. */
export async function withState(given: Arguments, work: (state: State) => Promise<void>): Promise<void> {
  const { options } = given;
  const place = placeOf(options);
  if (given.command !== 'create-organization') requireState(place);
  const state = await openState({ ...place, keys: chooseKeys({ ...options, ...place }), now: options.now });
  try {
    await work(state);
  } finally {
    await state.close();
  }
}

function named({ command, name }: Arguments): string {
  if (name === undefined || name.trim() === '') throw new Error(`${command} needs a --name.`);
  return name.trim();
}

async function organizationsOf(
  { organizations: wanted }: Arguments,
  { organizations }: State,
): Promise<readonly string[]> {
  const all = await organizations.all();
  const list = all.map(({ id, name }) => `${id} (${name})`).join(', ');
  if (wanted.length === 0) {
    if (all.length === 1) return [all[0]!.id];
    throw new Error(list ? `Name one by --organization: ${list}.` : 'There is no organization: create-organization.');
  }
  return wanted.map((text) => {
    const [found, ...more] = all.filter(({ id, name }) => id === text || name === text);
    if (!found || more.length > 0) {
      throw new Error(`${found ? 'More than one' : 'No'} organization is '${text}'. There are: ${list || 'none'}.`);
    }
    return found.id;
  });
}
