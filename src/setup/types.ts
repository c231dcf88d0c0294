import type { Result } from '../call/result.js';
import type { Action } from '../manifest/action.js';
import type { DoctorGuide, Probe } from './probe.js';

/** How a person connects an account, and how its credentials are checked; loaded only where that is done. */
export interface SetupGuide {
  /** Calls of which the setup alone has need, by name. */
  readonly calls?: Readonly<Record<string, Action>> | undefined;
  /** Reads whose credentials these are, as far as the vendor tells. */
  readonly identify: (source: SetupSource) => Promise<Identity>;
  /** The account that people sign in with, such as `Google`; the connector's title when left out. */
  readonly account?: string | undefined;
  /** Where each credential is found, by mode and field, such as `api_key.api_key`. */
  readonly help?: Readonly<Record<string, CredentialHelp>> | undefined;
  /** Labels of the connector's own settings, such as `{ includePrivate: 'Include private calls' }`. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * How fields of `replication_config` are shown on the setup page, in this order.
   *
   * A field of the schema that is left out is typed as text, with the schema's description as its help.
   */
  readonly fields?: Readonly<Record<string, ConfigField>> | undefined;
  /** Lists to pick from, by the field of `replication_config` that takes what was picked. */
  readonly choices?: Readonly<Record<string, ChoiceList>> | undefined;
  /** The cheapest read that proves that the credentials work; any list without required parameters when left out. */
  readonly probe?: Probe | undefined;
  /** What `doctor` needs to read every entity. */
  readonly doctor?: DoctorGuide | undefined;
}

/** Where a credential is found. */
export interface CredentialHelp {
  /** What to do, in a sentence or two. */
  readonly text: string;
  /** The vendor's own page about it. */
  readonly url?: string | undefined;
}

/** How one field of `replication_config` is shown on the setup page. */
export interface ConfigField {
  /** Label of the input; the title of its list, or its name, when left out. */
  readonly label?: string | undefined;
  /** Text beside the input; the schema's description when left out. */
  readonly help?: string | undefined;
  /** How a value is typed: as text, as a date, or not at all where the list has every choice. (`text`) */
  readonly input?: 'text' | 'date' | 'none' | undefined;
  /** Message where nothing was picked or typed; the field is optional when left out. */
  readonly required?: string | undefined;
  /** Splits what was picked, typed or stored into values; by commas, or as a JSON array, when left out. */
  readonly values?: ((given: unknown) => readonly string[]) | undefined;
}

/** What a guide works with. */
export interface SetupSource {
  /** Runs an action of the connector. */
  execute(entity: string, action: string, params: object): Promise<Result<any, any>>;
  /** Runs one of the guide's own calls. */
  call(name: string, params: object): Promise<Result<any, any>>;
}

/** Whose credentials they are. */
export interface Identity {
  /** The account, as its owner would name it; null where the vendor does not tell. */
  readonly name: string | null;
  /** Where it belongs to, or why its name is not known. */
  readonly detail: string | null;
  /** The vendor's own id of the account, which stays when it is renamed; left out where the vendor does not tell. */
  readonly id?: string | undefined;
}

/** A list to pick from. */
export interface ChoiceList {
  /** What is chosen, for people. */
  readonly title: string;
  /** Whether several can be picked. */
  readonly several: boolean;
  /** Reads what there is to choose from. */
  readonly list: (source: SetupSource) => Promise<readonly Choice[]>;
}

/** One thing to pick. */
export interface Choice {
  /** What goes into `replication_config`. */
  readonly value: string;
  /** What people read. */
  readonly label: string;
}
