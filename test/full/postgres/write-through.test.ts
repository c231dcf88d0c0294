import { afterAll, describe, test } from 'vitest';
import { writeRaces } from '../../service/replication/write-races.js';
import { startServer } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

/** A data folder that cannot be created: none is needed if everything is in Postgres. */
const dataFolder = '/proc/none/data';

describe.skipIf(!server)('processes that share Postgres', () => {
  test.each(writeRaces)('%s', async (_, check) => check({ dataFolder, databaseUrl: await server!.database() }));
});
