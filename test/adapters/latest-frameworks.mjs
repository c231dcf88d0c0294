/** Frameworks and behaviors that only the versions in `latest.mjs` have. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Agent } from '@mastra/core/agent';
import { aiSdkTools } from 'agent-connectors/ai-sdk';
import { anthropicTools } from 'agent-connectors/anthropic';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { generateCalls, invalidCall, recordsIn, teams, tools, validCall } from './setup.mjs';

const modelThatCalls = (...inputs) => new MockLanguageModelV4({ doGenerate: generateCalls(...inputs) });

const runAiSdk = (model, set) => generateText({ model, tools: set, prompt: 'Go.', stopWhen: stepCountIs(4) });
const runMastra = (model, set) =>
  new Agent({ id: 'tester', name: 'tester', instructions: 'Go.', model, tools: set }).generate('Go.', { maxSteps: 4 });

for (const [name, run] of Object.entries({ 'AI SDK': runAiSdk, Mastra: runMastra })) {
  test(`${name}: an error is marked as one, and a result is text`, async () => {
    const model = modelThatCalls(invalidCall, validCall);
    const { text } = await run(model, aiSdkTools(tools, jsonSchema));
    assert.equal(text, 'done');
    const [failed, answered] = model.doGenerateCalls.slice(1).map(({ prompt }) => prompt.at(-1).content[0].output);
    assert.equal(failed.type, 'error-text');
    assert.match(failed.value, /Did you mean 'teams'/);
    assert.equal(answered.type, 'text');
    assert.deepEqual(recordsIn(answered.value), await teams());
  });

  for (const needsApproval of [false, true]) {
    test(`${name}: a write ${needsApproval ? 'waits for approval' : 'runs'}`, async () => {
      const sandbox = createSandbox({ seed: 7 });
      const credentials = sandbox.vendors.linear.credentials.api_key;
      const connector = new LinearConnector({ fetch: sandbox.fetch, credentials });
      const [{ id: teamId }] = await teams();
      const write = { entity: 'issues', action: 'create', params: { teamId, title: 'From a framework' } };
      const set = aiSdkTools(createAgentTools(connector), jsonSchema, { needsApproval });
      await run(modelThatCalls(write), set);
      const { data } = await connector.execute('issues', 'list', { first: 250 });
      const created = data.filter(({ title }) => title === 'From a framework');
      assert.equal(created.length, needsApproval ? 0 : 1);
    });
  }
}

/** Serves these bodies one after the other and records what it received. */
async function serve(...bodies) {
  const sent = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    sent.push(JSON.parse(text));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(bodies[sent.length - 1]));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, sent, close };
}

test('google-genai: schemas as JSON Schema, an error as error, a result as output', async () => {
  const parts = [{ name: 'execute', args: invalidCall }, { name: 'execute', args: validCall }, undefined];
  const { url, sent, close } = await serve(
    ...parts.map((functionCall) => ({
      candidates: [{ content: { role: 'model', parts: [functionCall ? { functionCall } : { text: 'done' }] } }],
    })),
  );
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
  const callable = {
    tool: async () => ({
      functionDeclarations: tools.map(({ name, description, inputSchema: parametersJsonSchema }) => {
        return { name, description, parametersJsonSchema };
      }),
    }),
    callTool: (calls) =>
      Promise.all(
        calls.map(async ({ id, name, args }) => {
          const { text, isError } = await tools.find((tool) => tool.name === name).run(args);
          return { functionResponse: { id, name, response: isError ? { error: text } : { output: text } } };
        }),
      ),
  };
  const config = { tools: [callable] };
  const { text } = await client.models.generateContent({ model: 'any', contents: 'Go.', config });
  close();
  assert.equal(text, 'done');
  const offered = sent[0].tools[0].functionDeclarations;
  assert.deepEqual(
    offered.map(({ parametersJsonSchema }) => parametersJsonSchema),
    JSON.parse(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))),
  );
  const [failed, answered] = sent.slice(1).map(({ contents }) => contents.at(-1).parts[0].functionResponse.response);
  assert.match(failed.error, /Did you mean 'teams'/);
  assert.deepEqual(recordsIn(answered.output), await teams());
});

for (const thread of [undefined, false]) {
  const name = thread === undefined ? 'only new messages by default' : 'all messages and tools with thread: false';
  test(`Anthropic, tool runner: sends ${name}`, async () => {
    const contents = [
      [{ type: 'tool_use', id: '1', name: 'execute', input: validCall }],
      [{ type: 'text', text: 'done' }],
    ];
    const { url, sent, close } = await serve(
      ...contents.map((content, index) => {
        const stop_reason = index === 0 ? 'tool_use' : 'end_turn';
        const tokens = { input_tokens: 1, output_tokens: 1 };
        return {
          id: `m${index}`,
          type: 'message',
          role: 'assistant',
          model: 'any',
          content,
          stop_reason,
          usage: tokens,
        };
      }),
    );
    const client = new Anthropic({ apiKey: 'none', baseURL: url });
    const messages = [{ role: 'user', content: 'Go.' }];
    const request = { model: 'any', max_tokens: 100, tools: anthropicTools(tools), messages };
    if (thread === false) request.thread = false;
    const message = await client.beta.messages.toolRunner(request);
    close();
    assert.equal(message.content[0].text, 'done');
    const { messages: second, tools: offered } = sent[1];
    assert.equal(second.length, thread === false ? 3 : 1);
    assert.equal(offered?.length, thread === false ? tools.length : undefined);
  });
}
