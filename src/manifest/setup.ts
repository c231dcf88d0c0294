import type { Action } from '../action/action.js';
import type { Result } from '../action/result.js';

/** How users connect an account, and how to check its credentials; loaded on demand. */
export interface SetupGuide {
  /** Calls needed only for setup, by name. */
  readonly calls?: Readonly<Record<string, Action>> | undefined;
  /** Finds out whose credentials these are, if the vendor reports it. */
  readonly identify: (source: SetupSource) => Promise<Identity>;
  /** The account that users sign in with, such as `Google`; the connector's title by default. */
  readonly account?: string | undefined;
  /** Color of the vendor's monogram, as `#rrggbb`; white letters must be readable on it. (`#5b6270`) */
  readonly color?: string | undefined;
  /** Where to find each credential, by mode and field, such as `api_key.api_key`. */
  readonly help?: Readonly<Record<string, CredentialHelp>> | undefined;
  /** Labels of connector-specific settings, such as `{ includePrivate: 'Include private calls' }`. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * How fields of `replication_config` are shown on the setup page, in this order.
   *
   * Other fields of the schema are text inputs, with the schema's description as help.
   */
  readonly fields?: Readonly<Record<string, ConfigField>> | undefined;
  /** Lists to pick from, by field of `replication_config`. */
  readonly choices?: Readonly<Record<string, ChoiceList>> | undefined;
  /** The vendor's own dialog for choosing files, with a scope that covers only these. */
  readonly picker?: Picker | undefined;
  /** The cheapest read that proves that the credentials work; by default any list without required parameters. */
  readonly probe?: Probe | undefined;
  /** What `doctor` needs to read every entity. */
  readonly doctor?: DoctorGuide | undefined;
}

/** Where to find a credential. */
export interface CredentialHelp {
  /** What to do, in a sentence or two. */
  readonly text: string;
  /** The vendor's own page about it. */
  readonly url?: string | undefined;
}

/** How a field of `replication_config` is shown on the setup page. */
export interface ConfigField {
  /** Label of the input; by default the title of its list, or its name. */
  readonly label?: string | undefined;
  /** Help text; the schema's description by default. */
  readonly help?: string | undefined;
  /** Type of the input: text, date, or none if the list contains every choice. (`text`) */
  readonly input?: 'text' | 'date' | 'none' | undefined;
  /** Message for an empty field; the field is optional by default. */
  readonly required?: string | undefined;
  /** Splits picked, typed or stored input into values; by default at commas, or as a JSON array. */
  readonly values?: ((given: unknown) => readonly string[]) | undefined;
}

/** Context of a guide. */
export interface SetupSource {
  /** Runs an action of the connector. */
  execute(entity: string, action: string, params: object): Promise<Result<any, any>>;
  /** Runs one of the guide's own calls. */
  call(name: string, params: object): Promise<Result<any, any>>;
}

/** The account that the credentials belong to. */
export interface Identity {
  /** The account's display name; null if the vendor does not report it. */
  readonly name: string | null;
  /** What the account belongs to, or why its name is unknown. */
  readonly detail: string | null;
  /** The vendor's own id for the account, which survives renaming; undefined if the vendor does not report it. */
  readonly id?: string | undefined;
}

/** A list to pick from. */
export interface ChoiceList {
  /** Title of the list. */
  readonly title: string;
  /** Whether several can be picked. */
  readonly several: boolean;
  /** Reads the choices. */
  readonly list: (source: SetupSource) => Promise<readonly Choice[]>;
}

/** A choice. */
export interface Choice {
  /** Value stored in `replication_config`. */
  readonly value: string;
  /** Display text. */
  readonly label: string;
}

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

/** A vendor's own dialog in which users choose what an application can read. */
export interface Picker {
  /** The OAuth scope that covers only what was chosen. */
  readonly scope: string;
  /** The field of `replication_config` with the chosen ids. */
  readonly field: string;
  /** URL of the vendor's script; if the endpoint `auth` is replaced, its path is requested from there. */
  readonly script: string;
  /** Sources that the page with the dialog needs, by directive of its content security policy. */
  readonly policy: Readonly<Record<string, readonly string[]>>;
  /**
   * JavaScript for the page: an expression of type `(settings, picked) => void` that opens the dialog. `settings` has
   * `access_token`, `app_id`, `developer_key`, `locale` and `title`; `picked` is called with the chosen ids.
   */
  readonly open: string;
  /** What cannot be chosen, and why. */
  readonly note: string;
  /** Names those of the chosen items that can be read and replicated. */
  readonly name: (source: SetupSource, ids: readonly string[]) => Promise<readonly Choice[]>;
}
