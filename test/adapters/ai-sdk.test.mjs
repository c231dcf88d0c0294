import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aiSdkTools } from 'agent-connectors/ai-sdk';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import {
  assertDialect,
  generateCalls,
  hangingCall,
  hangingConnector,
  invalidCall,
  recordsIn,
  teams,
  tools,
  validCall,
} from './setup.mjs';

const modelThatCalls = (...inputs) => new MockLanguageModelV3({ doGenerate: generateCalls(...inputs) });

const run = (model, set, more = {}) =>
  generateText({ model, tools: set, prompt: 'Go.', stopWhen: stepCountIs(4), ...more });

test('AI SDK: the model gets three non-strict tools with a widely supported schema', async () => {
  const model = modelThatCalls();
  await run(model, aiSdkTools(tools, jsonSchema));
  const offered = model.doGenerateCalls[0].tools;
  assert.deepEqual(
    offered.map(({ name, strict, type }) => [name, strict, type]),
    tools.map(({ name }) => [name, false, 'function']),
  );
  for (const [index, { inputSchema, description }] of offered.entries()) {
    assertDialect(inputSchema);
    assert.deepEqual(inputSchema, tools[index].inputSchema);
    assert.equal(description, tools[index].description);
  }
});

test('AI SDK: an invalid call returns an error that explains the fix, and a valid one returns text', async () => {
  const model = modelThatCalls(invalidCall, validCall);
  const { text, steps } = await run(model, aiSdkTools(tools, jsonSchema));
  assert.equal(text, 'done');
  const [, second, third] = model.doGenerateCalls;
  const failed = second.prompt.at(-1).content[0].output;
  assert.equal(failed.type, 'error-text');
  assert.match(failed.value, /Did you mean 'teams'/);
  const { output } = third.prompt.at(-1).content[0];
  assert.equal(output.type, 'text');
  assert.deepEqual(recordsIn(output.value), await teams());
  assert.deepEqual(steps[1].toolResults[0].output.data.data, await teams());
});

test('AI SDK: aborting the run ends the call', async () => {
  const { tools: slow, started } = hangingConnector();
  const stop = new AbortController();
  const outcome = run(modelThatCalls(hangingCall), aiSdkTools(slow, jsonSchema), { abortSignal: stop.signal });
  outcome.catch(() => {});
  await started;
  stop.abort(new Error('enough'));
  await assert.rejects(outcome);
});
