import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, Runner, setTracingDisabled, Usage } from '@openai/agents';
import { agentTools, answerChat, answerResponse, chatTools, responseTools } from 'agent-connectors/openai';
import OpenAI from 'openai';
import {
  assertDialect,
  hangingCall,
  hangingConnector,
  invalidCall,
  recordsIn,
  teams,
  tools,
  validCall,
} from './setup.mjs';

setTracingDisabled(true);

/** A client whose service returns these responses, and the requests it received. */
function clientThatAnswers(...answers) {
  const sent = [];
  const fetch = async (_address, { body }) => {
    sent.push(JSON.parse(body));
    return Response.json(answers[sent.length - 1]);
  };
  return { client: new OpenAI({ apiKey: 'none', baseURL: 'https://api.example', fetch }), sent };
}

const chat = (message) => ({
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
});
const chatCall = (id, args, name = 'execute') => ({
  id,
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});

test('OpenAI, chat: three non-strict tools, and results in the order of the calls', async () => {
  const calls = [chatCall('1', invalidCall), chatCall('2', validCall), chatCall('3', '{'), chatCall('4', {}, 'other')];
  const { client, sent } = clientThatAnswers(chat({ tool_calls: calls }), chat({ content: 'done' }));
  const messages = [{ role: 'user', content: 'Go.' }];
  const asked = { model: 'any', tools: chatTools(tools) };
  const first = await client.chat.completions.create({ ...asked, messages });
  const { message } = first.choices[0];
  messages.push(message, ...(await answerChat(tools, message)));
  await client.chat.completions.create({ ...asked, messages });
  assert.deepEqual(
    sent[0].tools.map((tool) => [tool.type, tool.function.name, tool.function.strict]),
    [
      ['function', 'inspect_connector', false],
      ['function', 'read_skill_docs', false],
      ['function', 'execute', false],
    ],
  );
  for (const [index, tool] of sent[0].tools.entries()) {
    assertDialect(tool.function.parameters);
    assert.deepEqual(tool.function.parameters, tools[index].inputSchema);
  }
  const answers = sent[1].messages.slice(2);
  assert.deepEqual(
    answers.map(({ role, tool_call_id }) => [role, tool_call_id]),
    [
      ['tool', '1'],
      ['tool', '2'],
      ['tool', '3'],
      ['tool', '4'],
    ],
  );
  assert.match(answers[0].content, /Did you mean 'teams'/);
  assert.deepEqual(recordsIn(answers[1].content), await teams());
  assert.match(answers[2].content, /must be a single JSON object/);
  assert.match(answers[3].content, /unknown tool. Valid: inspect_connector/);
});

test('OpenAI, responses: three non-strict tools, results in the order of the calls, and calls to other tools ignored', async () => {
  const call = (call_id, args, name = 'execute') => ({
    type: 'function_call',
    call_id,
    name,
    arguments: JSON.stringify(args),
  });
  const output = [
    { type: 'reasoning', id: 'r', summary: [] },
    call('1', invalidCall),
    call('2', validCall),
    call('3', {}, 'other'),
  ];
  const { client, sent } = clientThatAnswers({ output }, { output: [] });
  const asked = { model: 'any', tools: responseTools(tools) };
  const first = await client.responses.create({ ...asked, input: 'Go.' });
  await client.responses.create({ ...asked, input: [...first.output, ...(await answerResponse(tools, first.output))] });
  for (const [index, { type, name, strict, parameters }] of sent[0].tools.entries()) {
    assert.deepEqual([type, name, strict], ['function', tools[index].name, false]);
    assertDialect(parameters);
  }
  const answers = sent[1].input.slice(output.length);
  assert.deepEqual(
    answers.map(({ type, call_id }) => [type, call_id]),
    [
      ['function_call_output', '1'],
      ['function_call_output', '2'],
    ],
  );
  assert.match(answers[0].output, /Did you mean 'teams'/);
  assert.deepEqual(recordsIn(answers[1].output), await teams());
});

test('OpenAI: an aborted signal ends the calls', async () => {
  const { tools: slow, started } = hangingConnector();
  const stop = new AbortController();
  const answered = answerChat(slow, { tool_calls: [chatCall('1', hangingCall)] }, { signal: stop.signal });
  answered.catch(() => {});
  await started;
  stop.abort(new Error('enough'));
  await assert.rejects(answered, /enough/);
});

test('OpenAI, Agents SDK: a runner offers and runs the tools', async () => {
  const requests = [];
  const steps = [
    {
      type: 'function_call',
      callId: '1',
      name: 'execute',
      status: 'completed',
      arguments: JSON.stringify(invalidCall),
    },
    { type: 'function_call', callId: '2', name: 'execute', status: 'completed', arguments: JSON.stringify(validCall) },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] },
  ];
  const model = {
    getResponse: async (request) => {
      requests.push(structuredClone({ input: request.input, tools: request.tools }));
      return { usage: new Usage(), output: [steps[requests.length - 1]] };
    },
  };
  const agent = new Agent({ name: 'tester', model, tools: agentTools(tools) });
  const result = await new Runner({ tracingDisabled: true }).run(agent, 'Go.');
  assert.equal(result.finalOutput, 'done');
  for (const [index, { name, strict, parameters }] of requests[0].tools.entries()) {
    assert.deepEqual([name, strict], [tools[index].name, false]);
    assertDialect(parameters);
  }
  const outputs = requests[2].input.filter(({ type }) => type === 'function_call_result').map(({ output }) => output);
  const texts = outputs.map((output) => (typeof output === 'string' ? output : output.text));
  assert.match(texts[0], /Did you mean 'teams'/);
  assert.deepEqual(recordsIn(texts[1]), await teams());
});
