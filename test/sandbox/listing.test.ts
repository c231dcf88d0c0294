import { createSandbox } from 'agent-connectors-sandbox';
import { listingOf, startNotice } from 'agent-connectors-sandbox/listing';
import { expect, it } from 'vitest';

it('the command prints a few lines, which end with the variable that points clients to the sandbox', () => {
  const server = { url: 'http://127.0.0.1:4010', sandbox: createSandbox() };
  const text = startNotice(listingOf(server as never), undefined);
  expect(text.trim().split('\n')).toHaveLength(3);
  const [, endpoints] = /^export AGENT_CONNECTORS_ENDPOINTS='(.+)'$/m.exec(text) ?? [];
  expect(JSON.parse(endpoints!)).toEqual({
    gong: 'http://127.0.0.1:4010/gong',
    'google-analytics': 'http://127.0.0.1:4010/google-analytics',
    'google-drive': 'http://127.0.0.1:4010/google-drive',
    granola: 'http://127.0.0.1:4010/granola',
    linear: 'http://127.0.0.1:4010/linear',
  });
});
