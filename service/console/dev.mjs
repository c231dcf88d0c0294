/** Serves the console with live reload, for a service with the demo's connectors. */
import { createServer } from 'vite';
import { importFromSources } from '../../scripts/from-sources.mjs';

const publicUrl = 'http://localhost:5173';
const { startCompany } = await importFromSources('sandbox/src/demo/service.ts');
const company = await startCompany({ publicUrl });

const vite = await createServer({
  configFile: 'service/console/vite.config.ts',
  logLevel: 'info',
  server: {
    host: 'localhost',
    port: 5173,
    strictPort: true,
    // Vite serves the console's files; everything else comes from the service.
    proxy: { '^/(console/(session|events)$|(?!console/).)': company.url },
  },
});
await vite.listen();
console.log(`\nThe console, signed in: ${await company.signInUrl()}`);
