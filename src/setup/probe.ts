/** A cheap read that proves that credentials work. */
export interface Probe {
  /** Entity to read, such as `teams`. */
  readonly entity: string;
  /** Action to run, such as `list`. */
  readonly action: string;
  /** Its parameters, such as `{ first: 1 }`, or how they follow from the `replication_config`. */
  readonly params?:
    | Readonly<Record<string, unknown>>
    | ((config: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>)
    | undefined;
}

/** What the command line's `doctor` needs to read every entity once, beyond the probe. */
export interface DoctorGuide {
  /**
   * Values for required parameters, by name, such as `{ issueId: { entity: 'issues', field: 'id' } }`.
   *
   * A name such as `changes.pageToken` is of one entity alone, and is passed even where the schema does not require it.
   */
  readonly parameters?: Readonly<Record<string, ParameterValue>> | undefined;
  /** Optional parameters that are passed to every read that has them, such as `{ size: 1 }`. */
  readonly optional?: Readonly<Record<string, unknown>> | undefined;
  /** Where a record shows whose credentials these are. */
  readonly identity?: IdentityPaths | undefined;
  /** Reads quota out of what the vendor sent; quota in rate-limit headers is found without it. */
  readonly quota?: ((read: DoctorReads) => readonly Quota[]) | undefined;
}

/** Where the value of a parameter comes from: a record, the user, or the clock. */
export type ParameterValue =
  | {
      /** Entity whose first record has the value. */
      readonly entity: string;
      /** Field of that record. */
      readonly field: string;
    }
  | {
      /** Key of the command's JSON argument that has the value. */
      readonly argument: string;
      /** Environment variable that is read where the argument does not have it. */
      readonly variable: string;
      /** Field of `replication_config` with values for it. */
      readonly config?: string | undefined;
    }
  | ((now: number) => unknown);

/** Paths into the first record of an entity, such as `['user.displayName', 'user.emailAddress']`. */
export interface IdentityPaths {
  /** Entity that is read. */
  readonly entity: string;
  /** Dotted paths; the last part names the value in the report. */
  readonly paths: readonly string[];
}

/** What `doctor` has read: the first record of each entity, and the `meta` that came with it, by entity. */
export interface DoctorReads {
  /** First records, by entity. */
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** `meta` of the results, by entity. */
  readonly metas: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** How much of a quota is left. */
export interface Quota {
  /** What is counted, such as `requests` or `bytes`. */
  readonly name: string;
  /** How much is left. */
  readonly remaining: number;
  /** How much there is in all; null where the vendor does not say. */
  readonly limit: number | null;
}
