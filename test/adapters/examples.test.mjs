import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serve } from 'agent-connectors-sandbox/server';
import ts from 'typescript';

const here = fileURLToPath(new URL('.', import.meta.url));
const call = { entity: 'issues', action: 'list', params: { first: 1 } };

/** The models in the examples, replaced with the frameworks' own test models. */
const models = {
  'ai-sdk.ts': `
    import { MockLanguageModelV3 } from 'ai/test';
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    let turn = 0;
    const model = new MockLanguageModelV3({
      doGenerate: async () =>
        turn++ === 0
          ? { content: [{ type: 'tool-call', toolCallId: '1', toolName: 'execute', input: ${JSON.stringify(JSON.stringify(call))} }], finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
          : { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] },
    });
  `,
  'langchain.ts': `
    import { AIMessage } from '@langchain/core/messages';
    import { prompt } from './given.js';
    const tool_calls = [{ type: 'tool_call', id: '1', name: 'execute', args: ${JSON.stringify(call)} }];
    const scripted = {
      bindTools: () => ({
        invoke: async (messages) => new AIMessage(messages.length === 1 ? { content: '', tool_calls } : 'done'),
      }),
    };
    await answer(scripted, prompt);
  `,
};

/** First a tool call, then the end of the turn, in the format of each service that the examples call. */
const answers = {
  '/chat/completions': (first) => ({
    choices: [
      {
        index: 0,
        finish_reason: first ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: 'done',
          ...(first && {
            tool_calls: [{ id: '1', type: 'function', function: { name: 'execute', arguments: JSON.stringify(call) } }],
          }),
        },
      },
    ],
  }),
  '/responses': (first) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    output: first
      ? [
          {
            type: 'function_call',
            id: 'fc_1',
            call_id: '1',
            name: 'execute',
            arguments: JSON.stringify(call),
            status: 'completed',
          },
        ]
      : [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'done', annotations: [] }],
          },
        ],
  }),
  '/v1/messages': (first) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'any',
    usage: { input_tokens: 1, output_tokens: 1 },
    ...(first
      ? { stop_reason: 'tool_use', content: [{ type: 'tool_use', id: '1', name: 'execute', input: call }] }
      : { stop_reason: 'end_turn', content: [{ type: 'text', text: 'done' }] }),
  }),
};

const said = [];
let folder;
let sandbox;
let service;

before(async () => {
  sandbox = await serve();
  service = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = request.url.split('?')[0];
    const result = /"(?:function_call_output|tool_result)"|"role":"tool"/.test(text);
    said.push({ path, result, text });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[path]?.(!result) ?? {}));
  });
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(join(here, 'examples-'));
  for (const name of await readdir(join(here, 'examples'))) {
    const source = await readFile(join(here, 'examples', name), 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions: { module: 'esnext', target: 'es2022' } });
    const [before, after = ''] = outputText.split(/^const model = .*/m);
    await writeFile(join(folder, name.replace('.ts', '.js')), before + (models[name] ?? '') + after);
  }
  // The connector in the examples calls Linear itself; here the sandbox takes its place.
  const aside = `
    const { fetch } = globalThis;
    globalThis.fetch = (address, init) =>
      fetch(String(address).replace('https://api.linear.app', '${sandbox.url}/linear'), init);
  `;
  await writeFile(join(folder, 'aside.mjs'), aside);
});

after(async () => {
  service.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const names = ['ai-sdk', 'anthropic-messages', 'anthropic-runner', 'langchain'];
for (const name of [...names, 'openai-agents', 'openai-chat', 'openai-responses']) {
  test(`${name}.ts runs, and answers the model's call with issues`, async () => {
    said.length = 0;
    sandbox.sandbox.requests.clear();
    const address = `http://127.0.0.1:${service.address().port}`;
    await promisify(execFile)(process.execPath, ['--import', join(folder, 'aside.mjs'), join(folder, `${name}.js`)], {
      timeout: 60_000,
      env: {
        PATH: process.env.PATH,
        LINEAR_API_KEY: 'lin_api_sandbox_full_access',
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: address,
        OPENAI_AGENTS_DISABLE_TRACING: '1',
        ANTHROPIC_API_KEY: 'none',
        ANTHROPIC_BASE_URL: address,
      },
    });
    const asked = sandbox.sandbox.requests.filter(({ status }) => status === 200);
    assert.equal(asked.length, 1);
    assert.equal(said.filter(({ result }) => result).length, /^(?:openai|anthropic)/.test(name) ? 1 : 0);
    for (const { text } of said.filter(({ result }) => result)) assert.match(text, /came from Linear/);
  });
}
