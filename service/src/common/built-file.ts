import { existsSync } from 'node:fs';

/** A file or folder that the build puts next to the bundle; null when running from source. */
export const builtFile = (url: URL): URL | null => (existsSync(url) ? url : null);
