import { codeMode } from 'agent-connectors/code';
import { GongConnector } from 'agent-connectors/gong';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';

const { vendors, fetch } = createSandbox({ seed: 1 });
const gong = new GongConnector({ credentials: vendors.gong.credentials.basic, fetch });
const granola = new GranolaConnector({ credentials: vendors.granola.credentials.api_key, fetch });
const linear = new LinearConnector({ credentials: vendors.linear.credentials.api_key, fetch });
const toolList = createAgentTools({ gong, granola, linear }, { codeMode: codeMode() });
const tools = Object.fromEntries(toolList.map((tool) => [tool.name, tool]));

/** The record with the longest transcript. @param {any[]} records @param {(record: any) => any[]} partsOf */
const longest = (records, partsOf) =>
  records.reduce((best, record) => (partsOf(record).length > partsOf(best).length ? record : best));

const { callId } = longest(
  (await gong.execute('call_transcripts', 'list', { filter: {} })).data,
  (call) => call.transcript,
);
const notes = (await granola.execute('notes', 'list', { page_size: 30 })).data;
const transcripts = await Promise.all(
  notes.map(({ id }) => granola.execute('notes', 'get', { note_id: id, include: 'transcript' })),
);
const { id: note_id } = longest(
  transcripts.map(({ data }) => data),
  ({ transcript }) => transcript ?? [],
);

const filter = { callIds: [callId] };
const contentSelector = { exposedFields: { parties: true } };

/** Prompts for a model, each with the calls whose results it reads and the code that computes the answer. */
const tasks = [
  {
    task: 'How much did each person speak in this call?',
    calls: [
      { connector: 'gong', entity: 'call_transcripts', action: 'list', params: { filter } },
      { connector: 'gong', entity: 'calls_extensive', action: 'list', params: { filter, contentSelector } },
    ],
    code: `const filter = { callIds: ['${callId}'] };
const [talk, calls] = await Promise.all([
  gong.call_transcripts.list({ filter }),
  gong.calls_extensive.list({ filter, contentSelector: { exposedFields: { parties: true } } }),
]);
const ms = {};
for (const { speakerId, sentences } of talk.data[0].transcript)
  for (const { start, end } of sentences) ms[speakerId] = (ms[speakerId] ?? 0) + end - start;
const total = Object.values(ms).reduce((sum, one) => sum + one, 0);
const names = Object.fromEntries(calls.data[0].parties.map(({ speakerId, name }) => [speakerId, name]));
return Object.fromEntries(Object.entries(ms).map(([id, one]) => [names[id] ?? id, Math.round((100 * one) / total) + ' %']));`,
  },
  {
    task: 'How much did each side speak in a long meeting?',
    calls: [{ connector: 'granola', entity: 'notes', action: 'get', params: { note_id, include: 'transcript' } }],
    code: `const { data } = await granola.notes.get({ note_id: '${note_id}', include: 'transcript' });
const ms = {};
for (const { speaker, start_time, end_time } of data.transcript)
  ms[speaker.source] = (ms[speaker.source] ?? 0) + (Date.parse(end_time) - Date.parse(start_time));
const total = Object.values(ms).reduce((sum, one) => sum + one, 0);
return Object.fromEntries(Object.entries(ms).map(([side, one]) => [side, Math.round((100 * one) / total) + ' %']));`,
  },
  {
    task: 'How many issues does each person have in each state?',
    calls: [{ connector: 'linear', entity: 'issues', action: 'list', params: { first: 250 }, pages: 2 }],
    selected: ['state.name', 'assignee.name'],
    code: `const counts = {};
for await (const { state, assignee } of linear.issues.list.all({}, { select_fields: ['state.name', 'assignee.name'] })) {
  const of = (counts[assignee?.name ?? 'nobody'] ??= {});
  of[state.name] = (of[state.name] ?? 0) + 1;
}
return counts;`,
  },
];

/** Estimated token count of a string, at four bytes per token. @param {string} text */
const tokensOf = (text) => Math.ceil(Buffer.byteLength(text) / 4);

/** The full text of a call's result, including its continuations. @param {string} name @param {object} args */
async function textOf(name, args) {
  let all = '';
  for (let next = args; next; ) {
    const { text, data, isError } = await tools[name].run(next);
    if (isError) throw new Error(text);
    all += text;
    next = data?.continue && { continue: data.continue };
  }
  return all;
}

/** Number of tokens that a model reads when it makes plain calls. @param {any} task */
async function plainTokens({ calls, selected }) {
  let tokens = 0;
  for (const { pages = 1, ...call } of calls) {
    let params = call.params;
    for (let page = 0; page < pages; page++) {
      tokens += tokensOf(await textOf('execute', { ...call, params, ...(selected && { select_fields: selected }) }));
      if (page + 1 === pages) break;
      const result = await linear.execute(call.entity, call.action, params);
      params = { ...params, ...linear.following(call.entity, call.action, params, result) };
    }
  }
  return tokens;
}

const rows = [];
for (const task of tasks) {
  const plain = await plainTokens(task);
  const answer = tokensOf(await textOf('run_code', { code: task.code }));
  const written = tokensOf(task.code);
  rows.push({ ...task, plain, written, answer });
}

const declared = [];
for (const [connector, section] of [
  ['gong', 'code.call_transcripts,calls_extensive'],
  ['granola', 'code.notes'],
  ['linear', 'code.issues'],
]) {
  declared.push([`${connector}: ${section}`, tokensOf((await tools.read_skill_docs.run({ connector, section })).text)]);
}
const { name: _, run: __, annotations: ___, ...definition } = tools.run_code;

const count = (number) => number.toLocaleString('en');
console.log(`### Code mode

The table compares the tokens that a model reads when it makes plain calls with the tokens that it writes and reads when it uses \`run_code\`. Each token is assumed to be four bytes.

| Task | Tokens read, plain calls | Tokens written, code | Tokens read, code result | Reduction |
|---|---|---|---|---|
${rows.map(({ task, plain, written, answer }) => `| ${task} | ${count(plain)} | ${count(written)} | ${count(answer)} | ${Math.round(plain / answer)}× |`).join('\n')}

The tool definition takes ${count(tokensOf(JSON.stringify(definition)))} tokens. The model reads each declaration once: ${declared.map(([what, tokens]) => `\`${what}\` ${count(tokens)} tokens`).join(', ')}.`);
