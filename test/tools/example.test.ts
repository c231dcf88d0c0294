import { createSandbox } from 'agent-connectors-sandbox';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

test('the example in the documentation runs', async () => {
  const sandbox = createSandbox({ seed: 1 });
  vi.resetModules();
  vi.stubGlobal('fetch', sandbox.fetch);
  vi.stubEnv('LINEAR_API_KEY', sandbox.vendors.linear.credentials.api_key.api_key);
  vi.stubEnv('GRANOLA_API_KEY', sandbox.vendors.granola.credentials.api_key.api_key);
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.map(String).join(' ')));
  await import('../../examples/agent-tools.js');
  expect(printed.slice(0, 3).map((line) => line.split(' ')[0])).toEqual([
    'inspect_connector',
    'read_skill_docs',
    'execute',
  ]);
  expect(printed[3]).toMatch(/^false Linear has no entity 'comment'. Did you mean 'comments'\?/);
});
