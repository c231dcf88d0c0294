import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TokenRefresh, TokenStore } from '../../auth/scheme.js';
import type { CliEnvironment } from '../environment.js';
import { failure } from '../failure.js';
import { settingsFolder, writePrivateFile } from '../settings.js';

/** Age in milliseconds after which a lock is assumed to have been left by a dead process. */
const staleLockMs = 60_000;

/**
 * Stores rotated refresh tokens next to the settings, since the one in the environment can no longer be used.
 *
 * Nothing is written for vendors that do not rotate them.
 */
export function tokenStore(
  credentials: Readonly<Record<string, string>>,
  place: Pick<CliEnvironment, 'env' | 'platform' | 'home' | 'signal'>,
): TokenStore {
  const given = credentials.refresh_token ?? '';
  const name = createHash('sha256')
    .update(JSON.stringify([credentials.client_id, given]))
    .digest('hex')
    .slice(0, 32);
  const path = join(settingsFolder(place), 'tokens', `${name}.json`);
  return {
    async alone(work) {
      const unlock = await lock(`${path}.lock`, place.signal);
      try {
        return await work();
      } finally {
        await unlock();
      }
    },
    async load() {
      try {
        return JSON.parse(await readFile(path, 'utf8')) as TokenRefresh;
      } catch {
        return undefined;
      }
    },
    async save(tokens) {
      if (tokens.refresh_token !== given) await writePrivateFile(path, `${JSON.stringify(tokens)}\n`);
    },
  };
}

async function lock(path: string, signal: AbortSignal): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (let tries = 0; tries < staleLockMs / 50; tries++) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > staleLockMs) await rm(path, { force: true });
    else await pause(50, undefined, { signal });
  }
  throw failure('conflict', 'Another process has been refreshing these tokens for over a minute.', { retryable: true });
}
