import { AsyncLocalStorage } from 'node:async_hooks';

/** On whose behalf something is done. */
export interface Actor {
  readonly clientId: string;
  /** The way in: `http`, `mcp`, `console` or `setup`. */
  readonly via: string;
  readonly requestId: string | null;
  /** Where the request came from, as far as that is known. */
  readonly address: string | undefined;
}

const actors = new AsyncLocalStorage<Actor>();

/** Does work on behalf of somebody, for calls that pass through what knows nothing of callers. */
export const actingAs = <T>(actor: Actor, work: () => T): T => actors.run(actor, work);

/** On whose behalf work is done here; nobody's where the service does it by itself. */
export const actor = (): Actor | undefined => actors.getStore();
