import { ConnectorError } from 'agent-connectors';

/** An object, as a list or a look at it alone tells. */
export interface ObjectInfo {
  readonly size: number;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly modifiedAt: number;
}

/** Where bodies lie by their keys, such as a bucket; keys are letters, digits, `-`, `_` and `/`. */
export interface ObjectStore {
  info(key: string): Promise<ObjectInfo | undefined>;
  /** The bytes of an object; none of them where it has more than `maxBytes`, nothing where there is none. */
  get(key: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Once it resolves, the object outlives a crash. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
  /** All objects whose keys begin so, those of one folder together. */
  list(prefix: string): AsyncIterable<ObjectInfo & { readonly key: string }>;
}

/** What is said where the store does not do what it is asked; neither its address nor a key is named. */
export const notAvailable = (reason: string): ConnectorError =>
  new ConnectorError('network', `The object store of the service is not available (${reason}).`, {
    retryable: true,
    hint: 'Retry later. If the error persists, the operator of the service must check AGENT_CONNECTORS_OBJECTS.',
  });
