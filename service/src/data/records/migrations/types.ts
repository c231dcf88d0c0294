/** A migration to the next schema version. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Whether the stored records are then added to the history of changes. */
  readonly addsHistory?: boolean;
}

/** Pending migrations from a schema version; rejects a database newer than this code. */
export function missing<M extends Migration>(migrations: readonly M[], current: number): readonly M[] {
  const latest = migrations.at(-1)!.version;
  if (current > latest) {
    throw new Error(
      `The record store is at version ${current}, but this release supports versions up to ${latest}: ` +
        'run the newer release of agent-connectors-service, or delete the records and sync again.',
    );
  }
  return migrations.filter(({ version }) => version > current);
}
