import { createHash } from 'node:crypto';
import type { ObjectStore } from './types.js';

/** A text by what names it. */
export interface TextKey {
  /** SHA-256 of its UTF-8, in hex. */
  readonly digest: string;
  /** In code points. */
  readonly length: number;
}

/** How a text comes out of the store; of one that cannot be read, why. */
export type FoundText = { readonly text: string } | { readonly problem: 'missing' | 'damaged' };

/** What a collection has to know of the rows. */
export interface References {
  connectors(): Promise<readonly string[]>;
  /** Digests of the texts that a connector's rows name. */
  of(connectorId: string): Promise<ReadonlySet<string>>;
  /** Has no row of this process written meanwhile. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** An object that no row names stays so long: until then a write may be under way that will. */
const defaultGraceMs = 24 * 60 * 60 * 1000;
/** So many requests are under way at once. */
const concurrency = 8;
/** Maximum number of damaged objects remembered. */
const maxDamaged = 10_000;

/** Texts of connectors in an object store, each by its digest below a folder of its connector: no tenant's write tells what another has. */
export class TextObjects {
  readonly #store: ObjectStore;
  readonly #graceMs: number;
  /** Keys of objects that this process found damaged; the next write replaces them. */
  readonly #damaged = new Set<string>();

  constructor(store: ObjectStore, graceMs = defaultGraceMs) {
    this.#store = store;
    this.#graceMs = graceMs;
  }

  /** Stores texts, each once; gives those that may be collected unless a row comes to name them at once. */
  async put(connectorId: string, texts: Iterable<string>): Promise<string[]> {
    const stale: string[] = [];
    await forEach(new Set(texts), async (text) => {
      const bytes = Buffer.from(text);
      const key = keyOf(connectorId, digestOf(bytes));
      const found = await this.#store.info(key);
      const isWhole = found?.size === bytes.length;
      if (isWhole && !this.#damaged.has(key) && !isOlder(found.modifiedAt, this.#graceMs / 2)) return;
      // One that exists is written anew, so that it is as young as one that does not.
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
      // No character takes more than four bytes.
      const key = keyOf(connectorId, digest);
      const bytes = await this.#store.get(key, 4 * length);
      const isWhole = bytes && digestOf(bytes) === digest;
      if (bytes && !isWhole && this.#damaged.size < maxDamaged) this.#damaged.add(key);
      const problem = bytes ? 'damaged' : 'missing';
      found.set(digest, isWhole ? { text: Buffer.from(bytes).toString() } : { problem });
    });
    return found;
  }

  /** Removes all that was stored for a connector. */
  async removeConnector(connectorId: string): Promise<void> {
    for await (const { key } of this.#store.list(`${folderOf(connectorId)}/`)) await this.#store.remove(key);
  }

  /** Removes what no row names and is older than any write under way; tells how many objects those were. */
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
      // Another process may be about to name it, and has written it anew.
      const found = await this.#store.info(key);
      if (!found || !isOlder(found.modifiedAt, this.#graceMs)) return;
      await this.#store.remove(key);
      removed += 1;
    });
    return removed;
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

// The clock of the files and of the bucket, never one that a test has stopped.
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
