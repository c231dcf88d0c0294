import { createHash } from 'node:crypto';
import type { ObjectStore } from './types.js';

/** Identifies a text. */
export interface TextKey {
  /** SHA-256 of the text's UTF-8 bytes, in hex. */
  readonly digest: string;
  /** In code points. */
  readonly length: number;
}

/** A text, or the reason it cannot be read. */
export type FoundText = { readonly text: string } | { readonly problem: 'missing' | 'damaged' };

/** Access to the rows for garbage collection. */
export interface References {
  connectors(): Promise<readonly string[]>;
  /** Digests of the texts that a connector's rows refer to. */
  of(connectorId: string): Promise<ReadonlySet<string>>;
  /** Runs `work` while this process is not writing rows. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** How long to keep unreferenced objects, in milliseconds; a write in progress may still add a row for them. */
const defaultGraceMs = 24 * 60 * 60 * 1000;
/** Maximum number of concurrent requests. */
const concurrency = 8;
/** Maximum number of damaged objects to remember. */
const maxDamaged = 10_000;

/**
 * Stores texts in an object store under `<connector>/<digest>`. Connectors do not share objects, so a tenant cannot
 * find out which texts another tenant has.
 */
export class TextObjects {
  readonly #store: ObjectStore;
  readonly #graceMs: number;
  /** Keys of objects that this process found damaged; the next write replaces them. */
  readonly #damaged = new Set<string>();

  constructor(store: ObjectStore, graceMs = defaultGraceMs) {
    this.#store = store;
    this.#graceMs = graceMs;
  }

  /**
   * Stores each text once; returns the texts that garbage collection may still delete before their rows are written.
   */
  async put(connectorId: string, texts: Iterable<string>): Promise<string[]> {
    const stale: string[] = [];
    await forEach(new Set(texts), async (text) => {
      const bytes = Buffer.from(text);
      const key = keyOf(connectorId, digestOf(bytes));
      const found = await this.#store.info(key);
      const isWhole = found?.size === bytes.length;
      if (isWhole && !this.#damaged.has(key) && !isOlder(found.modifiedAt, this.#graceMs / 2)) return;
      // Also rewrites an old object to reset its age.
      await this.#store.put(key, bytes);
      this.#damaged.delete(key);
      if (found) stale.push(text);
    });
    return stale;
  }

  async read(connectorId: string, texts: readonly TextKey[]): Promise<Map<string, FoundText>> {
    const found = new Map<string, FoundText>();
    const unique = new Map(texts.map((one) => [one.digest, one]));
    await forEach(unique.values(), async ({ digest, length }) => {
      // A code point takes at most four bytes.
      const key = keyOf(connectorId, digest);
      const bytes = await this.#store.get(key, 4 * length);
      const isWhole = bytes && digestOf(bytes) === digest;
      if (bytes && !isWhole && this.#damaged.size < maxDamaged) this.#damaged.add(key);
      const problem = bytes ? 'damaged' : 'missing';
      found.set(digest, isWhole ? { text: Buffer.from(bytes).toString() } : { problem });
    });
    return found;
  }

  /** Deletes all of a connector's objects. */
  async removeConnector(connectorId: string): Promise<void> {
    for await (const { key } of this.#store.list(`${folderOf(connectorId)}/`)) await this.#store.remove(key);
  }

  /** Deletes unreferenced objects that are older than any running write, and returns how many it deleted. */
  async collect(references: References): Promise<number> {
    let removed = 0;
    let [folder, old]: [string, string[]] = ['', []];
    const flush = async () => {
      if (old.length > 0) removed += await references.exclusively(() => this.#removeUnnamed(references, folder, old));
      old = [];
    };
    for await (const { key, modifiedAt } of this.#store.list('')) {
      const next = key.slice(0, key.indexOf('/') + 1);
      if (next !== folder) await flush();
      folder = next;
      if (next !== '' && isOlder(modifiedAt, this.#graceMs)) old.push(key);
    }
    await flush();
    return removed;
  }

  async #removeUnnamed(references: References, folder: string, keys: readonly string[]): Promise<number> {
    const connectorId = (await references.connectors()).find((id) => `${folderOf(id)}/` === folder);
    const named = connectorId === undefined ? new Set<string>() : await references.of(connectorId);
    let removed = 0;
    await forEach(new Set(keys.filter((key) => !named.has(key.slice(folder.length)))), async (key) => {
      // Another process may have rewritten the object for a row it is about to write.
      const found = await this.#store.info(key);
      if (!found || !isOlder(found.modifiedAt, this.#graceMs)) return;
      await this.#store.remove(key);
      removed += 1;
    });
    return removed;
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

// Uses real time, like the store, even if tests stop the service's clock.
const isOlder = (modifiedAt: number, ms: number): boolean => modifiedAt <= Date.now() - ms;

const folderOf = (connectorId: string): string =>
  /^[\w-]{1,100}$/.test(connectorId) ? connectorId : digestOf(Buffer.from(connectorId));

const keyOf = (connectorId: string, digest: string): string => `${folderOf(connectorId)}/${digest}`;

async function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
