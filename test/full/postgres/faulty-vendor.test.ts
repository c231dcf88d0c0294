import { afterAll, describe, test } from 'vitest';
import { caseCount } from '../../cases.js';
import { survivesFaults } from '../../service/replication/faulty-vendor.js';
import { startServer } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

describe.skipIf(!server)('a replica in Postgres', () => {
  test(
    'whatever a vendor responds, searches say what is missing, and after its recovery nothing is',
    () =>
      survivesFaults(Number(process.env.FAULT_CASES) || caseCount(40), async () => ({
        databaseUrl: await server!.database(),
      })),
    1_800_000,
  );
});
