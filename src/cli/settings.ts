import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { CliEnvironment } from './environment.js';
import { failure } from './failure.js';

interface ServiceSettings {
  readonly base_url: string;
  readonly organization_id?: string | undefined;
  readonly workspace?: string | undefined;
}

/** Settings of a client, which has an id and a secret. */
export interface ClientSettings extends ServiceSettings {
  readonly client_id: string;
  readonly client_secret: string;
}

/** Tokens of a person who has signed in with a browser. */
export interface SignIn {
  /** The app as which the command line is registered with the service. */
  readonly app_id: string;
  readonly access_token: string;
  /** ISO 8601. */
  readonly expires_at: string;
  readonly refresh_token: string;
}

/** Settings of a person who has signed in with a browser. */
export interface SignInSettings extends ServiceSettings {
  readonly sign_in: SignIn;
}

/** Settings stored by `login`. */
export type Settings = ClientSettings | SignInSettings;

type SettingsLocation = Pick<CliEnvironment, 'env' | 'platform' | 'home'>;

/** Folder of this user's settings. */
export function settingsFolder({ env, platform, home }: SettingsLocation): string {
  const absolutePath = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);
  const chosen = absolutePath(env.XDG_CONFIG_HOME);
  if (platform === 'win32')
    return join(absolutePath(env.APPDATA) ?? join(home, 'AppData', 'Roaming'), 'agent-connectors');
  if (platform === 'darwin') {
    return join(chosen ?? join(home, 'Library', 'Application Support'), 'agent-connectors');
  }
  return join(chosen ?? join(home, '.config'), 'agent-connectors');
}

/** The file that `login` writes. */
export const settingsFile = (place: SettingsLocation): string => join(settingsFolder(place), 'settings.json');

/** Reads the settings stored by `login`; undefined if there are none. */
export async function readSettings(place: SettingsLocation): Promise<Settings | undefined> {
  const path = settingsFile(place);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // Copying or restoring it may have made it readable to others.
  if (place.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600).catch(() => {});
  const settings = parseSettings(text);
  if (settings) return settings;
  throw failure('invalid_credentials', `The settings in ${path} cannot be read.`, {
    hint: 'Run agent-connectors login again.',
  });
}

function parseSettings(text: string): Settings | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof ClientSettings | 'sign_in', unknown>> | null;
    const signIn = value?.sign_in as Partial<Record<keyof SignIn, unknown>> | undefined;
    const credentials = signIn
      ? [signIn.app_id, signIn.access_token, signIn.expires_at, signIn.refresh_token]
      : [value?.client_id, value?.client_secret];
    const texts = [value?.base_url, ...credentials];
    const optional = [value?.organization_id, value?.workspace];
    const fits =
      texts.every((item) => typeof item === 'string' && item !== '') &&
      optional.every((item) => item === undefined || typeof item === 'string');
    return fits ? (value as unknown as Settings) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores settings for this user only, atomically. */
export const writeSettings = (place: SettingsLocation, settings: Settings): Promise<void> =>
  writePrivateFile(settingsFile(place), `${JSON.stringify(settings, undefined, 2)}\n`);

/** Writes a file that only its owner can read, in a folder that only its owner can enter. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const part = join(folder, `.${randomUUID()}.part`);
  try {
    const file = await open(part, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

/** Deletes the settings stored by `login`; returns whether any existed. */
export async function removeSettings(place: SettingsLocation): Promise<boolean> {
  const path = settingsFile(place);
  const existed = await stat(path).then(
    () => true,
    () => false,
  );
  await rm(path, { force: true });
  return existed;
}
