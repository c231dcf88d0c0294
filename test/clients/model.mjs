/**
 * A model endpoint that makes scripted tool calls and records what reaches it, in the wire formats of OpenAI (Chat
 * Completions and Responses), Anthropic and Gemini.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * A tool result as the model sees it.
 * @typedef {{ text: string, isMarked: boolean }} Output
 */

const usage = { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** The text that a model sees, whatever its parts. @param {any} content @returns {string} */
const textOf = (content) =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => part.text ?? (part.content ? textOf(part.content) : JSON.stringify(part))).join('')
      : JSON.stringify(content ?? '');

/** @param {any} input @returns {any[]} */
const itemsOf = (input) => (Array.isArray(input) ? input : []);

/** @param {any} response */
const sse = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' });

/** @param {any} response @param {object} data @param {string} [event] */
const send = (response, data, event) =>
  response.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`);

/** @param {any} response @param {object} body */
const json = (response, body) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

/**
 * How each API names tools, results and calls.
 * @type {Record<string, { path: RegExp, toolsOf(body: any): any[], outputsOf(body: any): Output[], searchOf?(body: any): boolean, reply: Function }>}
 */
const formats = {
  responses: {
    path: /\/responses$/,
    // Codex offers some models a search for tools instead of the tools.
    searchOf: ({ tools = [] }) => tools.some(({ type }) => type === 'tool_search'),
    toolsOf: ({ tools = [], input = [] }) =>
      [...tools, ...itemsOf(input).flatMap((item) => (item.type === 'tool_search_output' ? item.tools : []))].flatMap(
        (tool) =>
          tool.tools
            ? tool.tools.map(({ name }) => ({ name, namespace: tool.type === 'namespace' ? tool.name : undefined }))
            : tool.type === 'function'
              ? [{ name: tool.name }]
              : [],
      ),
    outputsOf: ({ input }) =>
      itemsOf(input)
        .filter(({ type }) => /_call_output$/.test(type ?? ''))
        .map(({ output }) => ({ text: textOf(output), isMarked: false })),
    reply(response, body, id, call) {
      const message = { type: 'output_text', text: 'Done.', annotations: [] };
      const search = { execution: 'client', arguments: { query: 'execute an action on issues', limit: 20 } };
      const item = call?.isSearch
        ? { type: 'tool_search_call', id: `ts_${id}`, call_id: `call_${id}`, status: 'completed', ...search }
        : call
          ? { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status: 'completed', ...call }
          : { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [message] };
      const whole = {
        id: `resp_${id}`,
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: body.model,
        output: [item],
        parallel_tool_calls: false,
        tool_choice: 'auto',
        tools: [],
        usage: {
          ...usage,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens_details: { reasoning_tokens: 0 },
        },
      };
      if (!body.stream) return json(response, whole);
      const events = [
        { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: whole },
      ];
      sse(response);
      for (const [index, event] of events.entries()) {
        send(response, { ...event, sequence_number: index }, event.type);
      }
      response.end();
    },
  },
  chat: {
    path: /\/chat\/completions$/,
    toolsOf: ({ tools = [] }) => tools.map((tool) => ({ name: tool.function?.name })),
    outputsOf: ({ messages }) =>
      messages.filter(({ role }) => role === 'tool').map(({ content }) => ({ text: textOf(content), isMarked: false })),
    reply(response, body, id, call) {
      const base = { id: `chat_${id}`, created: 1, model: body.model };
      const calls = call && [{ id: `call_${id}`, type: 'function', function: call }];
      const message = { role: 'assistant', content: call ? null : 'Done.', ...(calls && { tool_calls: calls }) };
      const finish_reason = call ? 'tool_calls' : 'stop';
      if (!body.stream) {
        return json(response, {
          ...base,
          object: 'chat.completion',
          choices: [{ index: 0, message, finish_reason }],
          usage,
        });
      }
      const object = 'chat.completion.chunk';
      const delta = { ...message, ...(calls && { tool_calls: [{ index: 0, ...calls[0] }] }) };
      sse(response);
      send(response, { ...base, object, choices: [{ index: 0, delta, finish_reason: null }] });
      send(response, { ...base, object, choices: [{ index: 0, delta: {}, finish_reason }], usage });
      response.end('data: [DONE]\n\n');
    },
  },
  messages: {
    path: /\/messages$/,
    toolsOf: ({ tools = [] }) => tools,
    outputsOf: ({ messages }) =>
      messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter(({ type }) => type === 'tool_result')
        .map(({ content, is_error }) => ({ text: textOf(content), isMarked: is_error === true })),
    reply(response, body, id, call) {
      const block = call
        ? { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: JSON.parse(call.arguments) }
        : { type: 'text', text: 'Done.' };
      const stop_reason = call ? 'tool_use' : 'end_turn';
      const whole = {
        id: `msg_${id}`,
        type: 'message',
        role: 'assistant',
        model: body.model,
        content: [block],
        stop_reason,
        stop_sequence: null,
        usage,
      };
      if (!body.stream) return json(response, whole);
      const delta = call
        ? { type: 'input_json_delta', partial_json: call.arguments }
        : { type: 'text_delta', text: 'Done.' };
      const events = [
        { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: call ? { ...block, input: {} } : { ...block, text: '' },
        },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ];
      sse(response);
      for (const event of events) send(response, event, event.type);
      response.end();
    },
  },
  gemini: {
    path: /enerateContent$/,
    toolsOf: ({ tools = [] }) => tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations),
    outputsOf: ({ contents = [] }) =>
      contents
        .flatMap(({ parts = [] }) => parts)
        .flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.response] : []))
        .map(({ output, error, result, content, ...others }) => ({
          text: textOf(output ?? error ?? result ?? content ?? others),
          isMarked: error !== undefined,
        })),
    reply(response, body, id, call, path) {
      const isRouting = body.generationConfig?.responseMimeType === 'application/json';
      const text = isRouting
        ? '{"reasoning":"","next_speaker":"user","model_choice":"flash","complexity_score":1,"complexity_reasoning":""}'
        : 'Done.';
      const part = call
        ? { functionCall: { name: call.name, args: JSON.parse(call.arguments) }, thoughtSignature: 'c2ln' }
        : { text };
      const whole = {
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        modelVersion: 'scripted',
        responseId: id,
      };
      if (!path.endsWith(':streamGenerateContent')) return json(response, whole);
      sse(response);
      send(response, whole);
      response.end();
    },
  },
};

/** Clients add the server's name to the tool's. @param {any[]} tools @param {string} name */
const findTool = (tools, name) =>
  tools.find((tool) => tool.name === name) ??
  tools.find((tool) => new RegExp(`[^a-z]${name}$|__${name}$|_${name}$`).test(tool.name ?? ''));

/**
 * Starts a model. `next` returns the next tool call for the results so far, or undefined at the end.
 * @param {(outputs: Output[]) => { tool: string, args: object } | undefined} next
 */
export async function startModel(next) {
  /** @type {Output[]} */
  let seen = [];
  /** @type {string[]} */
  let offered = [];
  /** @type {string[]} */
  const problems = [];
  let count = 0;
  const answer = (path, body, response) => {
    const format = Object.values(formats).find((candidate) => candidate.path.test(path));
    if (!format)
      return json(response, {
        object: 'list',
        data: [{ id: 'scripted' }],
        models: [],
        totalTokens: 1,
        input_tokens: 1,
      });
    const tools = format.toolsOf(body);
    const outputs = format.outputsOf(body);
    const isAgent = findTool(tools, 'execute') !== undefined;
    const isSearch = !isAgent && format.searchOf?.(body) && count < 5;
    if (tools.length > 0) offered = tools.map(({ name }) => name);
    if (outputs.length >= seen.length) seen = outputs;
    const step = isAgent ? next(outputs) : undefined;
    const tool = step && findTool(tools, step.tool);
    const call = step && {
      name: tool.name,
      ...(tool.namespace && { namespace: tool.namespace }),
      arguments: JSON.stringify(step.args),
    };
    format.reply(response, body, String(++count), isSearch ? { isSearch } : call, path);
  };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      try {
        const text = Buffer.concat(chunks).toString();
        answer(pathname, text === '' ? {} : JSON.parse(text), response);
      } catch (error) {
        problems.push(String(error));
        response.writeHead(500).end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    result: () => ({ outputs: seen, offered, problems, requests: count }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
