import { openRecords } from '../context-store.js';
import { distribute } from '../data/records/index.js';
import { chooseKeys } from '../data/vault/choose.js';
import { loadDefinitions } from '../domain/connectors/definitions.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Migrates the record tables to this release's schema and, on request, distributes them across a Citus cluster. */
export async function migrate({ options, json }: Arguments, terminal: Terminal): Promise<void> {
  const location = stateLocation(options);
  const { folder, databaseUrl } = location;
  if (databaseUrl === undefined) throw new Error('migrate --distribute needs the DATABASE_URL of a Citus coordinator.');
  const definitions = await loadDefinitions(options.connectors);
  const keys = await chooseKeys({ ...options, ...location });
  const store = await openRecords({ folder, databaseUrl, now: options.now ?? Date.now, keys, definitions });
  await store.close();
  const tables = await distribute(databaseUrl);
  const message = tables.length === 0 ? 'All tables are already distributed.' : `Distributed ${tables.length} tables.`;
  terminal.out(json ? `${JSON.stringify({ tables })}\n` : `${message}\n`);
}
