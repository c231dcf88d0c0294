/** A cheap read that proves that credentials work. */
export interface Probe {
  /** Entity to read, such as `teams`. */
  readonly entity: string;
  /** Action to run, such as `list`. */
  readonly action: string;
  /** Its parameters, such as `{ first: 1 }`, or a function of the `replication_config`. */
  readonly params?:
    | Readonly<Record<string, unknown>>
    | ((config: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>)
    | undefined;
}

/** What `doctor` needs to read every entity once, in addition to the probe. */
export interface DoctorGuide {
  /**
   * Values for required parameters, by name, such as `{ issueId: { entity: 'issues', field: 'id' } }`.
   *
   * A name such as `changes.pageToken` applies to one entity only, and is passed even if the schema does not require
   * it.
   */
  readonly parameters?: Readonly<Record<string, ParameterValue>> | undefined;
  /** Optional parameters to pass to every read that supports them, such as `{ size: 1 }`. */
  readonly optional?: Readonly<Record<string, unknown>> | undefined;
  /** Where a record shows whose credentials these are. */
  readonly identity?: IdentityPaths | undefined;
  /** Extracts quotas from the vendor's responses; quotas in rate limit headers are found without it. */
  readonly quota?: ((read: DoctorReads) => readonly Quota[]) | undefined;
}

/** Source of a parameter's value: a record, the user, or the clock. */
export type ParameterValue =
  | {
      /** Entity whose first record has the value. */
      readonly entity: string;
      /** Field of that record. */
      readonly field: string;
    }
  | {
      /** The key in the command's JSON argument that contains the value. */
      readonly argument: string;
      /** Environment variable to use if the argument does not contain the key. */
      readonly variable: string;
      /** Field of `replication_config` that contains the parameter's values. */
      readonly config?: string | undefined;
    }
  | ((now: number) => unknown);

/** Paths into the first record of an entity, such as `['user.displayName', 'user.emailAddress']`. */
export interface IdentityPaths {
  /** Entity to read. */
  readonly entity: string;
  /** Dotted paths; the last part is the value's name in the report. */
  readonly paths: readonly string[];
}

/** What `doctor` has read: the first record and the `meta` of each entity. */
export interface DoctorReads {
  /** First records, by entity. */
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** `meta` of the results, by entity. */
  readonly metas: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** The remaining part of a quota. */
export interface Quota {
  /** What is counted, such as `requests` or `bytes`. */
  readonly name: string;
  /** The amount left. */
  readonly remaining: number;
  /** The total; null if the vendor does not report it. */
  readonly limit: number | null;
}
