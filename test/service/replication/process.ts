import { writeSync } from 'node:fs';
import { serve } from 'agent-connectors-service';

// A service in its own process, which tests can kill. Arguments: <folder> <key> <URL of the sandbox> <how far its clock is ahead,
// in ms> <whether it replicates> <database>.
const [folder = '', key = '', vendor = '', ahead = '0', replicates = 'yes', databaseUrl] = process.argv.slice(2);
const service = await serve({
  dataFolder: folder,
  key,
  port: 0,
  replicate: replicates === 'yes',
  databaseUrl,
  allowHosts: ['127.0.0.1'],
  endpoints: { linear: `${vendor}/linear`, gong: `${vendor}/gong` },
  // Without their own clocks, processes that share a database use the database's clock.
  ...(ahead !== '0' && { now: () => Date.now() + Number(ahead) }),
});
process.on('SIGTERM', () => void service.close());
writeSync(1, `${service.url}\n`);
