import { createRequire } from 'node:module';

/** Node's built-in SQLite where it is stable (22.13), otherwise the package that provides the same interface. */
export function loadSqlite<Module>(isSuitable: (builtIn: Partial<Module>) => boolean = () => true): Module {
  const require = createRequire(import.meta.url);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) {
    const builtIn = require('node:sqlite') as Module;
    if (isSuitable(builtIn)) return builtIn;
  }
  return require('@photostructure/sqlite') as Module;
}
