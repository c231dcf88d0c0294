/** The tools, resources and prompts that the MCP conformance suite calls (0.2.0-alpha.12). */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  ProtocolError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/** A red pixel, and a WAV file without samples. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const text = (value) => ({ type: 'text', text: value });
const texts = (...values) => ({ content: values.map(text) });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const states = createRequestStateCodec({ key: randomBytes(32) });
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const asked = (message, properties) => inputRequired.elicit({ message, requestedSchema: object(properties) });
const sampled = (question, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(question) }], maxTokens });
const answered = ({ mcpReq }, ...keys) =>
  keys.every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing');

const string = { type: 'string' };
const phoneOrEmail = { phone: { required: ['phone'] }, email: { required: ['email'] } };
const schemaWithKeywords = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [phoneOrEmail.phone, phoneOrEmail.email] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: phoneOrEmail.phone,
  else: phoneOrEmail.email,
  additionalProperties: false,
};

/** The payload of a state that this server has issued. */
async function stateIn(context) {
  const state = context.mcpReq.requestState();
  if (typeof state !== 'string') return state;
  try {
    return await states.verify(state, context);
  } catch {
    throw new ProtocolError(-32602, 'Invalid requestState.');
  }
}

/** Adds the fixtures to a server. */
export function addFixtures(server) {
  server.server.registerCapabilities({ logging: {}, completions: {}, resources: { subscribe: true } });
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    server.server.setRequestHandler(method, () => ({}));
  }
  addContentTools(server);
  addAskingTools(server);
  addInputRequiredTools(server);
  addResources(server);
  addPrompts(server);
}

function addContentTools(server) {
  const tool = (name, handler) => server.registerTool(name, { description: name }, handler);
  tool('test_simple_text', () => texts('This is a simple text response for testing.'));
  tool('test_image_content', () => ({ content: [image] }));
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }));
  const embedded = (uri, mimeType, content) => ({ type: 'resource', resource: { uri, mimeType, text: content } });
  tool('test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  tool('test_multiple_content_types', () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }));
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_tool_with_logging', async ({ mcpReq }) => {
    const lines = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
    for (const line of lines) {
      await mcpReq.log('info', line);
      await delay(50);
    }
    return texts('Logged.');
  });
  tool('test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      await delay(50);
    }
    return texts('Done.');
  });
  tool('test_logging_tool', async ({ mcpReq }) => {
    await mcpReq.log('info', 'Only for clients that have set a log level.');
    return texts('Done.');
  });
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(schemaWithKeywords) },
    () => texts('Done.'),
  );
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Takes a parameter that clients also send as a header.',
      inputSchema: fromJsonSchema(object({ region: { type: 'string', 'x-mcp-header': 'Region' } })),
    },
    ({ region }) => texts(region),
  );
}

function addAskingTools(server) {
  server.registerTool(
    'test_sampling',
    { description: 'Samples.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user', content: text(prompt) }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      return texts(`LLM response: ${content.text}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const string = (description) => ({ type: 'string', description });
      const fields = { username: string("User's response"), email: string("User's email address") };
      const { action, content } = await mcpReq.elicitInput({ message, requestedSchema: object(fields) });
      return texts(`User response: action=${action}, content=${JSON.stringify(content)}`);
    },
  );
  const asking = (name, properties) =>
    server.registerTool(name, { description: name }, async ({ mcpReq }) => {
      const requestedSchema = object(properties, []);
      const { action, content } = await mcpReq.elicitInput({ message: 'Please answer.', requestedSchema });
      return texts(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
    });
  asking('test_elicitation_sep1034_defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  });
  const options = ['option1', 'option2', 'option3'];
  const titled = (noun) =>
    ['First', 'Second', 'Third'].map((nth, at) => ({ const: `value${at + 1}`, title: `${nth} ${noun}` }));
  asking('test_elicitation_sep1330_enums', {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  });
}

function addInputRequiredTools(server) {
  const tool = (name, handler) =>
    server.registerTool(`test_input_required_result_${name}`, { description: name }, handler);
  const nameAsked = { user_name: asked('What is your name?', { name: { type: 'string' } }) };
  tool('elicitation', (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, 'user_name');
    const name = answer.kind === 'elicit' ? answer.content?.name : undefined;
    return typeof name === 'string' ? texts(`Hello, ${name}!`) : inputRequired({ inputRequests: nameAsked });
  });
  tool('sampling', (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, 'capital_question');
    if (answer.kind === 'missing')
      return inputRequired({ inputRequests: { capital_question: sampled('What is the capital of France?') } });
    return texts(JSON.stringify(answer));
  });
  tool('list_roots', (context) =>
    answered(context, 'client_roots')
      ? texts(JSON.stringify(inputResponse(context.mcpReq.inputResponses, 'client_roots')))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } }),
  );
  const confirm = { confirm: asked('Please confirm', { ok: { type: 'boolean' } }) };
  for (const name of ['request_state', 'tampered_state']) {
    tool(name, async (context) => {
      if (!answered(context, 'confirm'))
        return inputRequired({ inputRequests: confirm, requestState: await states.mint({ step: 1 }, context) });
      const state = await stateIn(context);
      return texts(state?.step === 1 ? 'state-ok' : 'state-missing');
    });
  }
  tool('multiple_inputs', async (context) => {
    if (answered(context, 'user_name', 'greeting', 'client_roots')) return texts('All inputs received.');
    const inputRequests = {
      ...nameAsked,
      greeting: sampled('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await states.mint({ step: 1 }, context) });
  });
  tool('multi_round', async (context) => {
    const state = await stateIn(context);
    const step = (state?.step ?? 0) + 1;
    const questions = [
      { step1: asked('Step 1: What is your name?', { name: { type: 'string' } }) },
      { step2: asked('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
    ];
    const inputRequests = questions[step - 1];
    if (!inputRequests) return texts('All steps are done.');
    return inputRequired({ inputRequests, requestState: await states.mint({ step }, context) });
  });
  tool('capabilities', () => inputRequired({ inputRequests: { greeting: sampled('Generate a greeting') } }));
  const needing = (name, inputRequests) =>
    server.registerTool(name, { description: name }, () => inputRequired({ inputRequests }));
  needing('test_missing_capability', { greeting: sampled('Generate a greeting') });
  needing('test_streaming_elicitation', nameAsked);
}

function addResources(server) {
  const readable = (name, uri, mimeType, content) =>
    server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }));
  readable('static-text', 'test://static-text', 'text/plain', {
    text: 'This is the content of the static text resource.',
  });
  readable('static-binary', 'test://static-binary', 'image/png', { blob: png });
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }));
}

function addPrompts(server) {
  const user = (...contents) => ({ messages: contents.map((content) => ({ role: 'user', content })) });
  const prompt = (name, argsSchema, handler) => server.registerPrompt(name, { description: name, argsSchema }, handler);
  server.registerPrompt('test_simple_prompt', { description: 'Simple.' }, () =>
    user(text('This is a simple prompt for testing.')),
  );
  const argument = completable(z.string(), () => ['hello', 'world']);
  prompt('test_prompt_with_arguments', z.object({ arg1: argument, arg2: z.string() }), ({ arg1, arg2 }) =>
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  prompt('test_prompt_with_embedded_resource', z.object({ resourceUri: z.string() }), ({ resourceUri: uri }) =>
    user(
      { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } },
      text('Please process the embedded resource above.'),
    ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Image.' }, () =>
    user(image, text('Please analyze the image above.')),
  );
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks.' }, (context) => {
    const question = asked('What context should the prompt use?', { context: { type: 'string' } });
    return answered(context, 'user_context')
      ? user(text('Context received.'))
      : inputRequired({ inputRequests: { user_context: question } });
  });
}
