/** One step from a version of the database to the next. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}
