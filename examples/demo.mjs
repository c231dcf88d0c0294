// A tour of the connectors against the offline sandbox, over real HTTP on loopback. Run it with `npm run demo -- --all`.
// With credentials of your own, only the two lines marked in demo/linear.mjs differ.

import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from 'agent-connectors-sandbox/server';
import { tourGong } from './demo/gong.mjs';
import { tourAnalytics } from './demo/google-analytics.mjs';
import { tourDrive } from './demo/google-drive.mjs';
import { tourGranola } from './demo/granola.mjs';
import { tourLinear } from './demo/linear.mjs';
import { tourService } from './demo/service.mjs';
import { shown } from './demo/show.mjs';

const folder = await mkdtemp(join(tmpdir(), 'agent-connectors-demo-'));
await mkdir(join(folder, 'Archive'));
await cp(new URL('../README.md', import.meta.url), join(folder, 'README.md'));

const server = await serve();
const disk = await serve({ driveFolder: folder });
// With the vendor's own rate limit, the replication would take a minute.
server.sandbox.vendors.gong.limits = { requestsPerSecond: Number.POSITIVE_INFINITY };
const started = performance.now();

const linear = await tourLinear(server);
await tourGranola(server);
await tourDrive(disk, folder);
await tourAnalytics(server);
await tourGong(server, linear);
await tourService(server);

await server.close();
await disk.close();
await rm(folder, { recursive: true });
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`\n${shown.calls} calls in ${seconds} s. Next: README.md, examples/.`);
