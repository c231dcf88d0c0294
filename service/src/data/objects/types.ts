import { ConnectorError } from 'agent-connectors';

/** Metadata of an object. */
export interface ObjectInfo {
  readonly size: number;
  /** Milliseconds since 1970, according to the store's clock. */
  readonly modifiedAt: number;
}

/** An object in a listing. */
export interface ListedObject extends ObjectInfo {
  /** The object's key, including the prefix. */
  readonly key: string;
}

/** A key-value store of bytes, such as a bucket; keys consist of letters, digits, `-`, `_` and `/`. */
export interface ObjectStore {
  /** Metadata of an object; undefined if it does not exist. */
  info(key: string): Promise<ObjectInfo | undefined>;
  /** An object's bytes; empty if it has more than `maxBytes`, undefined if it does not exist. */
  get(key: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Stores an object durably. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Deletes an object, if it exists. */
  remove(key: string): Promise<void>;
  /** Lists the objects with a key prefix, grouped by folder. */
  list(prefix: string): AsyncIterable<ListedObject>;
}

/** The error for an unavailable store; contains neither its address nor a key. */
export const notAvailable = (reason: string): ConnectorError =>
  new ConnectorError('network', `The service’s object store is unavailable (${reason}).`, {
    retryable: true,
    hint: 'Retry later. If the error persists, ask the service operator to check AGENT_CONNECTORS_OBJECTS.',
  });
