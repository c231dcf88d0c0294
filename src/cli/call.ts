import type { CommandSpecification, FlagName } from './arguments/specification.js';
import type { Printer } from './output/printer.js';
import type { Surroundings } from './surroundings.js';

/** Flags as they were given. */
export type Flags = Readonly<Partial<Record<FlagName, boolean>>> & { readonly output?: string | undefined };

/** One run of one command. */
export interface Call {
  readonly specification: CommandSpecification;
  /** The JSON argument, checked; empty where none was given. */
  readonly argument: Readonly<Record<string, any>>;
  /** The word that was given in place of JSON. */
  readonly word: string | undefined;
  readonly flags: Flags;
  readonly print: Printer;
  readonly surroundings: Surroundings;
  /** Never printed in an error. */
  readonly secrets: string[];
}
