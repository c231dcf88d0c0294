import type { View } from './concise.js';
import type { PathOptions, PathsOf } from './paths.js';
import type { Plan } from './plan.js';
import type { ShapingOptions } from './shape.js';

/** What is to be remembered of a write that was sent. */
export interface Sent {
  /** The id that the record was given or has; empty where there is none to look for. */
  readonly id: string;
  /** How its outcome can be learned: by that id, by the values it has, by its absence; null where the vendor does not tell. */
  readonly by: 'id' | 'values' | 'absence' | null;
}

/** The state of one write across several calls. */
export interface Once {
  /** What `sending` was given by an earlier call whose outcome is not known: it is looked for before anything is sent. */
  readonly sent?: Sent | undefined;
  /** Awaited right before a request that changes data is first sent: keep what it is given; if it throws, nothing is sent. */
  readonly sending: (sent: Sent) => unknown;
}

/** Options of one call to `execute`. */
export interface ExecuteOptions extends ShapingOptions {
  /**
   * `concise` keeps the fields that a person would read first, as `describe()` lists them; `full`, when left out, all.
   * `selectFields` decides where both are given, and so does the action's own parameter `fields`.
   */
  readonly view?: View | undefined;
  /** Aborts the call, including a backoff. */
  readonly signal?: AbortSignal | undefined;
  /** Why the call is made, for the audit log of a service; at most 512 characters. */
  readonly intent?: string | undefined;
  /** Timeout of this call in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Executes this plan: if the write would differ by now, nothing is sent and `conflict` is thrown. */
  readonly plan?: Plan | undefined;
  /** Makes a write that can be taken up by a later call without being done twice. */
  readonly once?: Once | undefined;
  /**
   * Told, and awaited, when an upload that can be resumed has begun: pass `resume` as a parameter to go on with it in a
   * later call. Whoever has it can write to the upload, so keep it as a secret. Not called through a service.
   */
  readonly onUploadBegun?: ((upload: { readonly resume: string }) => unknown) | undefined;
  /** Adds vendor fields that are not in the schema to each record, under their own names. */
  readonly raw?: boolean | undefined;
}

/**
 * The same for a call that gives `Data`, with its paths for editors to complete. Any other text is taken as well: with
 * `raw` there is more than the types name.
 */
export interface CallOptions<Data>
  extends Omit<ExecuteOptions, keyof PathOptions>,
    PathOptions<PathsOf<Data> | (string & {})> {}
