import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { answerAnthropic, anthropicTools } from 'agent-connectors/anthropic';
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

/** A client whose service returns this content, and the requests it received. */
function clientThatAnswers(...contents) {
  const sent = [];
  const fetch = async (_address, { body }) => {
    sent.push(JSON.parse(body));
    const content = contents[sent.length - 1];
    const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    return Response.json({ id: 'm', type: 'message', role: 'assistant', model: 'any', content, stop_reason, usage });
  };
  return { client: new Anthropic({ apiKey: 'none', baseURL: 'https://api.example', fetch }), sent };
}

const use = (id, input, name = 'execute') => ({ type: 'tool_use', id, name, input });
const done = [{ type: 'text', text: 'done' }];
const asked = { model: 'any', max_tokens: 100 };
const user = { role: 'user', content: 'Go.' };

test('Anthropic, messages: runs calls to its three tools, and ignores calls to other tools', async () => {
  const content = [{ type: 'text', text: 'Well.' }, use('1', invalidCall), use('2', validCall), use('3', {}, 'other')];
  const { client, sent } = clientThatAnswers(content, done);
  const request = { ...asked, tools: anthropicTools(tools) };
  const first = await client.messages.create({ ...request, messages: [user] });
  const answers = await answerAnthropic(tools, first.content);
  const messages = [user, { role: 'assistant', content: first.content }, { role: 'user', content: answers }];
  await client.messages.create({ ...request, messages });
  for (const [index, tool] of sent[0].tools.entries()) {
    assert.deepEqual(Object.keys(tool).sort(), ['description', 'input_schema', 'name', 'strict', 'type']);
    assert.deepEqual([tool.type, tool.name, tool.strict], ['custom', tools[index].name, false]);
    assertDialect(tool.input_schema);
  }
  const results = sent[1].messages[2].content;
  assert.deepEqual(
    results.map(({ type, tool_use_id, is_error }) => [type, tool_use_id, is_error]),
    [
      ['tool_result', '1', true],
      ['tool_result', '2', false],
    ],
  );
  assert.match(results[0].content, /Did you mean 'teams'/);
  assert.deepEqual(recordsIn(results[1].content), await teams());
});

test('Anthropic, tool runner: runs the tools', async () => {
  const { client, sent } = clientThatAnswers([use('1', invalidCall)], [use('2', validCall)], done);
  const message = await client.beta.messages.toolRunner({ ...asked, tools: anthropicTools(tools), messages: [user] });
  assert.equal(message.content[0].text, 'done');
  const [failed] = sent[1].messages.at(-1).content;
  assert.equal(failed.is_error, true);
  assert.match(JSON.stringify(failed.content), /Did you mean 'teams'/);
  const [result] = sent[2].messages.at(-1).content;
  assert.ok(!result.is_error);
  const text = typeof result.content === 'string' ? result.content : result.content[0].text;
  assert.deepEqual(recordsIn(text), await teams());
});

test('Anthropic: an aborted signal ends the calls', async () => {
  const { tools: slow, started } = hangingConnector();
  const stop = new AbortController();
  const answered = answerAnthropic(slow, [use('1', hangingCall)], { signal: stop.signal });
  answered.catch(() => {});
  await started;
  stop.abort(new Error('enough'));
  await assert.rejects(answered, /enough/);
});
