import type { PathOptions, PathsOf } from './paths.js';
import type { Plan } from './plan.js';
import type { ShapingOptions, View } from './shape.js';

/** Data with which a write whose outcome is unknown can be looked up. */
export interface Sent {
  /** The id that the record has or will get; empty if none. */
  readonly id: string;
  /**
   * How to determine its outcome: by that id, by its values, or by its absence; null if the vendor does not support it.
   */
  readonly by: 'id' | 'values' | 'absence' | null;
}

/** The state of one write across several calls. */
export interface Once {
  /**
   * What `sending` received in an earlier call whose outcome is unknown. That write is looked up before anything is
   * sent.
   */
  readonly sent?: Sent | undefined;
  /**
   * Awaited right before a modifying request is first sent. Store the argument. If the function throws, nothing is
   * sent.
   */
  readonly sending: (sent: Sent) => unknown;
  /**
   * Awaited right before each attempt to send a modifying request: after `sending` and after every wait, such as for a
   * rate limit, a token or a retry. If the function throws, that attempt is not sent; a retryable `ConnectorError` is
   * retried like a vendor's.
   */
  readonly attempting?: (() => unknown) | undefined;
}

/** Options for one `execute` call. */
export interface ExecuteOptions extends ShapingOptions {
  /**
   * `concise` keeps the main fields, as listed in `describe()`; `full` (default) keeps all. `selectFields` and the
   * action's own `fields` parameter take precedence.
   */
  readonly view?: View | undefined;
  /** Aborts the call, including a backoff. */
  readonly signal?: AbortSignal | undefined;
  /** Reason for the call, recorded in a service's audit log; at most 512 characters. */
  readonly intent?: string | undefined;
  /** Timeout for this call in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Executes this plan. If the write would differ from the planned one, nothing is sent and `conflict` is thrown. */
  readonly plan?: Plan | undefined;
  /**
   * Identifies a write, 1 to 128 printable ASCII characters: a repetition with the same key and parameters returns the
   * stored result. A service keeps it for 24 hours, a connector with credentials for its lifetime.
   */
  readonly idempotencyKey?: string | undefined;
  /** Lets a later call resume a write without repeating it. */
  readonly once?: Once | undefined;
  /**
   * Awaited right before each attempt to send a request, reads and lookups included, after every wait. If the function
   * throws, the call ends with that error and nothing more is sent. Not called when using a service.
   */
  readonly beforeAttempt?: (() => unknown) | undefined;
  /**
   * Awaited when a resumable upload has started: pass `resume` as a parameter to continue it in a later
   * call. Anyone who has it can write to the upload, so keep it secret. Not called when using a service.
   */
  readonly onUploadBegun?: ((upload: { readonly resume: string }) => unknown) | undefined;
  /** Adds vendor fields that are not in the schema to each record, under their own names. */
  readonly raw?: boolean | undefined;
}

/**
 * Options for an `execute` call that returns `Data`, with paths that editors can complete. Any other string is also
 * accepted, because `raw` returns more than the types declare.
 */
export interface CallOptions<Data>
  extends Omit<ExecuteOptions, keyof PathOptions>,
    PathOptions<PathsOf<Data> | (string & {})> {}
