import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TokenRefresh, TokenStore } from '../../auth/scheme.js';
import type { CliEnvironment } from '../environment.js';
import { failure } from '../failure.js';
import { settingsFolder, writePrivateFile } from '../settings.js';

/** Milliseconds without renewal after which a lock is assumed to have been left by a process that has ended. */
const staleLockMs = 10_000;
const renewalMs = 2_000;
/** Maximum wait for another process. */
const maxWaitMs = 60_000;

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

/** A lock as another process last wrote or renewed it. */
interface LockState {
  readonly owner: string;
  readonly renewedAt: number;
}

/**
 * Takes a lock that processes on this machine share. The holder renews it, so one that has not changed for a while is
 * from a process that has ended; this is measured by waiting, not by comparing clocks.
 */
async function lock(path: string, signal: AbortSignal): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const owner = randomUUID();
  const deadline = performance.now() + maxWaitMs;
  let seen: LockState | undefined;
  let seenAt = 0;
  while (performance.now() < deadline) {
    if (await create(path, owner)) return holdLock(path, owner);
    const state = await lockState(path);
    if (state?.owner !== seen?.owner || state?.renewedAt !== seen?.renewedAt) {
      seen = state;
      seenAt = performance.now();
    }
    if (seen && performance.now() - seenAt > staleLockMs) await removeStale(path, seen.owner);
    else await pause(50, undefined, { signal });
  }
  throw failure('conflict', 'Another process has been refreshing these tokens for over a minute.', { retryable: true });
}

async function create(path: string, owner: string): Promise<boolean> {
  try {
    await writeFile(path, owner, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

async function lockState(path: string): Promise<LockState | undefined> {
  try {
    const [owner, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    return { owner, renewedAt: mtimeMs };
  } catch {
    return undefined;
  }
}

/** Renews the lock until the returned function releases it. */
function holdLock(path: string, owner: string): () => Promise<void> {
  const renewal = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), renewalMs);
  renewal.unref();
  return async () => {
    clearInterval(renewal);
    // After a suspension, it may belong to another process.
    if ((await lockState(path))?.owner === owner) await rm(path, { force: true });
  };
}

/** Removes the lock of a process that has ended, unless another one has taken it since. */
async function removeStale(path: string, owner: string): Promise<void> {
  if ((await lockState(path))?.owner !== owner) return;
  // Only one of several waiting processes succeeds in renaming it.
  const stale = `${path}.${randomUUID()}`;
  await rename(path, stale).catch(() => {});
  if ((await lockState(stale))?.owner !== owner) await link(stale, path).catch(() => {});
  await rm(stale, { force: true });
}
