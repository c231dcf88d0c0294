import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StateLocation } from '../../data/state/location.js';

/** A folder for client secret files: the data folder, or a temporary one if there is none. */
export function folderForFiles(location: StateLocation): { readonly folder: string; readonly temporary: boolean } {
  const temporary =
    location.folder === ':memory:' || (location.databaseUrl !== undefined && !existsSync(location.folder));
  return { folder: temporary ? mkdtempSync(join(tmpdir(), 'agent-connectors-')) : location.folder, temporary };
}
