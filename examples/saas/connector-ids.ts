/** The ids of each user's connectors, in a file. Use a table in your database instead. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** A map that survives a restart: connector ids by user id. */
export class StoredConnectorIds extends Map<string, readonly string[]> {
  readonly #file: string;

  constructor(file: string) {
    super();
    if (existsSync(file)) for (const [id, ids] of JSON.parse(readFileSync(file, 'utf8'))) super.set(id, ids);
    this.#file = file;
  }

  override set(id: string, connectorIds: readonly string[]): this {
    super.set(id, connectorIds);
    writeFileSync(this.#file, JSON.stringify([...this]));
    return this;
  }
}
