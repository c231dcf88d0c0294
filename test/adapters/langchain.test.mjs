import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { langchainTools } from 'agent-connectors/langchain';
import { assertDialect, hangingCall, hangingConnector, recordsIn, teams, tools, validCall } from './setup.mjs';

const [inspect, docs, execute] = langchainTools(tools, tool);
const call = (args) => ({ type: 'tool_call', id: 'call-1', name: 'execute', args });

test('LangChain: models get three tools with a widely supported schema', () => {
  for (const [index, made] of [inspect, docs, execute].entries()) {
    const offered = convertToOpenAITool(made).function;
    assert.equal(offered.name, tools[index].name);
    assert.equal(offered.description, tools[index].description);
    assertDialect(offered.parameters);
    assert.notEqual(offered.strict, true);
  }
});

test('LangChain: a call becomes a message with an artifact for the program', async () => {
  const message = await execute.invoke(call(validCall));
  assert.ok(message instanceof ToolMessage);
  assert.equal(message.tool_call_id, 'call-1');
  assert.deepEqual(recordsIn(message.content), await teams());
  assert.deepEqual(message.artifact.data.data, await teams());
  assert.match(await docs.invoke({ connector: 'granola', section: 'limits' }), /# limits/);
});

test('LangChain: a failed call explains how to fix it', async () => {
  const message = await execute.invoke(call({ ...validCall, params: { fist: 2 } }));
  assert.equal(message.artifact.isError, true);
  assert.equal(message.status, 'error');
  assert.equal((await execute.invoke(call(validCall))).status, 'success');
  assert.match(message.content, /Did you mean 'first'/);
  await assert.rejects(execute.invoke(call({ ...validCall, action: 'lst' })), /list/);
});

test('LangChain: an aborted signal ends the call', async () => {
  const { tools: slow, started } = hangingConnector();
  const stop = new AbortController();
  const answered = langchainTools(slow, tool)[2].invoke(call(hangingCall), { signal: stop.signal });
  answered.catch(() => {});
  await started;
  stop.abort(new Error('enough'));
  await assert.rejects(answered);
});
