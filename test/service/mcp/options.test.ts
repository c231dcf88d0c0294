import { expect, test } from 'vitest';
import { readArguments } from '../../../service/src/cli/arguments.js';
import { optionsFrom } from '../../../service/src/options.js';

const [writes, origins] = ['AGENT_CONNECTORS_MCP_ALLOW_WRITES', 'AGENT_CONNECTORS_MCP_ALLOW_ORIGINS'];

test('the environment says who may call, and whether that may change anything', () => {
  expect(optionsFrom({ [writes]: '1', [origins]: 'App.example.com, [::1]' })).toMatchObject({
    mcpAllowWrites: true,
    mcpAllowOrigins: ['app.example.com', '[::1]'],
  });
  expect(optionsFrom({ [writes]: '0' })).toMatchObject({ mcpAllowWrites: false });
  expect(optionsFrom({ [writes]: ' ', [origins]: '' })).toEqual(optionsFrom({}));
});

test('the command line goes before the environment', () => {
  const given = ['--mcp-allow-writes', '--mcp-allow-origin', 'a.example', '--mcp-allow-origin', 'b.example'];
  expect(readArguments(given, { [writes]: '0', [origins]: 'c.example' }).options).toMatchObject({
    mcpAllowWrites: true,
    mcpAllowOrigins: ['a.example', 'b.example'],
  });
  expect(readArguments([], {}).options.mcpAllowWrites).toBeUndefined();
});

test.each([
  [writes, 'canary'],
  [writes, 'true'],
  [origins, 'https://canary.example'],
  [origins, 'canary.example:8080'],
  [origins, '*'],
])('%s of %s is refused by name, and not repeated', (name, value) => {
  const read = () => optionsFrom({ [name]: value });
  expect(read).toThrow(name);
  expect(read).not.toThrow('canary');
});
