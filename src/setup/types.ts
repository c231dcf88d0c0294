import type { Result } from '../call/result.js';
import type { Action } from '../manifest/action.js';

/** How a person who connects an account is helped; loaded only where one is. */
export interface SetupGuide {
  /** Calls of which the setup alone has need, by name. */
  readonly calls?: Readonly<Record<string, Action>> | undefined;
  /** Reads whose credentials these are, as far as the vendor tells. */
  readonly identify: (source: SetupSource) => Promise<Identity>;
  /** Lists to pick from, by the field of `replication_config` that takes what was picked. */
  readonly choices?: Readonly<Record<string, ChoiceList>> | undefined;
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
