import { LinearConnector } from 'agent-connectors/linear';
import { GranolaConnector } from 'agent-connectors/granola';
import { createSandbox } from 'agent-connectors-sandbox';
import * as z from 'zod';
import { test } from 'vitest';
test('x', async () => {
  console.log('fromJSONSchema', typeof (z as any).fromJSONSchema);
  console.log(JSON.stringify(LinearConnector.describe(), null, 2).length, JSON.stringify(LinearConnector.describe(), null, 2).split('\n').length, JSON.stringify(GranolaConnector.describe(), null, 2).split('\n').length);
  for (let i = 0; i < 3; i++) { let t = performance.now(); const s = createSandbox({seed: 7}); const l = new LinearConnector({credentials: s.vendors.linear.credentials.api_key, fetch: s.fetch}); await l.issues.list({first: 1}); console.log('sandbox', performance.now() - t); t = performance.now(); const d = s.dump(); console.log('dump', performance.now() - t, JSON.stringify(d).length); }
  console.log(JSON.stringify(LinearConnector.describe().entities[0]!.actions.map(a => [a.name, a.data, a.meta])).slice(0, 3000));
  console.log(JSON.stringify(LinearConnector.describe().entities[3]!.actions.at(-1), null, 1).slice(0, 3000));
});
