import { existsSync } from 'node:fs';

/** A file or folder that the build puts beside the bundle; null where the sources run unbuilt. */
export const builtFile = (url: URL): URL | null => (existsSync(url) ? url : null);
