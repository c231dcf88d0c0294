/** One step from a version of the database to the next. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Finds statements that depend on what there is, each in a row's `statement`; they are carried out last. */
  readonly found?: string;
}

/** Steps that a database of a version still has to take; a newer database than this code knows is refused. */
export function missing(migrations: readonly Migration[], current: number): readonly Migration[] {
  const latest = migrations.at(-1)!.version;
  if (current > latest) {
    throw new Error(
      `The records have version ${current}, but this release supports versions up to ${latest}: ` +
        'run the newer release of agent-connectors-service, or delete the records and sync again.',
    );
  }
  return migrations.filter(({ version }) => version > current);
}
