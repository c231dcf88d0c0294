import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatePlace } from '../../data/state/place.js';

/** A folder for files that hold a client's secret: the data folder, or a temporary one where there is none. */
export function folderForFiles(place: StatePlace): { readonly folder: string; readonly temporary: boolean } {
  const temporary = place.folder === ':memory:' || (place.databaseUrl !== undefined && !existsSync(place.folder));
  return { folder: temporary ? mkdtempSync(join(tmpdir(), 'agent-connectors-')) : place.folder, temporary };
}
