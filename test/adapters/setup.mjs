import assert from 'node:assert/strict';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';

const { fetch, vendors } = createSandbox({ seed: 7 });

/** Connectors whose calls a test can inspect. */
export const linear = new LinearConnector({ fetch, credentials: vendors.linear.credentials.api_key });
export const granola = new GranolaConnector({ fetch, credentials: vendors.granola.credentials.api_key });
export const tools = createAgentTools([linear, granola]);
export const [inspect, docs, execute] = tools;

/** A call that succeeds, and one that a model has to correct. */
export const validCall = { connector: 'linear', entity: 'teams', action: 'list', params: { first: 2 } };
export const invalidCall = { connector: 'linear', entity: 'team', action: 'list' };

/** What a mock of an AI SDK model generates that makes these calls, one per step, then responds with text. */
export const generateCalls =
  (...inputs) =>
  async ({ prompt }) => {
    const step = prompt.filter(({ role }) => role === 'tool').length;
    const input = inputs[step];
    return {
      content: input
        ? [{ type: 'tool-call', toolCallId: `call-${step}`, toolName: 'execute', input: JSON.stringify(input) }]
        : [{ type: 'text', text: 'done' }],
      finishReason: { unified: input ? 'tool-calls' : 'stop', raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    };
  };

/** The records in the table of a tool's text. */
export function recordsIn(text) {
  const [, mark] = /^<<<external:([a-z2-7]{16}) /m.exec(text);
  const start = text.indexOf('\n', text.indexOf(`<<<external:${mark}`)) + 1;
  const [columns, ...rows] = text
    .slice(start, text.indexOf(`\n${mark}>>>`))
    .split('\n')
    .map((line) => line.split('|'));
  return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [columns[at], cell])));
}

/** What `validCall` returns. */
export const teams = async () => (await linear.execute('teams', 'list', { first: 2 }, { view: 'concise' })).data;

/** Asserts that a schema only uses what every vendor accepts in non-strict mode. */
export function assertDialect(schema) {
  assert.equal(schema.type, 'object');
  for (const union of ['anyOf', 'oneOf', 'allOf', 'enum', 'not']) assert.ok(!(union in schema), `${union} at the root`);
  const forbidden = new Set([
    '$ref',
    '$defs',
    'definitions',
    'default',
    'const',
    'oneOf',
    'allOf',
    'patternProperties',
  ]);
  const visit = (value, inProperties) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      assert.ok(inProperties || !forbidden.has(key), `${key} in a schema`);
      visit(item, key === 'properties' && !inProperties);
    }
  };
  visit(schema, false);
  for (const name of schema.required) assert.ok(name in schema.properties, name);
}

/** A connector whose calls end only when their signal aborts, and the outcome of each. */
export function hangingConnector() {
  const started = Promise.withResolvers?.() ?? withResolvers();
  const connector = {
    describe: () => granola.describe(),
    execute: (_entity, _action, _params, { signal }) =>
      new Promise((_, reject) => {
        started.resolve();
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
  return { tools: createAgentTools(connector), started: started.promise };
}

function withResolvers() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** A call to such a connector. */
export const hangingCall = { entity: 'notes', action: 'list' };
