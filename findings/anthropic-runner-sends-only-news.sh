#!/usr/bin/env bash
# Guess: the tool runner of Anthropic's SDK sends the whole conversation and the tools in every request, as the Messages
#   API is stateless.
# Happens (@anthropic-ai/sdk 1.14.0): the first request creates a thread. Later ones contain the new tool results and
#   `thread: { type: 'continue' }`, but neither the question nor the tools. `thread: false` sends everything; 1.0.0 does
#   so by itself.
# Why it matters: gateways and recorders that speak the Messages API ignore fields that they do not know. From the second
#   turn on, the model behind them sees one tool result without the question, and answers something plausible.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund new@npm:@anthropic-ai/sdk@1.14.0 old@npm:@anthropic-ai/sdk@1.0.0
cat > probe.mjs <<'JS'
const contents = [
  [{ type: 'tool_use', id: '1', name: 'add', input: {} }],
  [{ type: 'text', text: 'done' }],
];
async function secondRequest(name, more) {
  const { default: Anthropic } = await import(name);
  const sent = [];
  const fetch = async (_url, { body }) => {
    const content = contents[sent.push(JSON.parse(body)) - 1];
    const stop_reason = content[0].type === 'text' ? 'end_turn' : 'tool_use';
    const usage = { input_tokens: 1, output_tokens: 1 };
    return Response.json({ id: 'm', type: 'message', role: 'assistant', model: 'any', content, stop_reason, usage });
  };
  const client = new Anthropic({ apiKey: 'key', baseURL: 'https://api.example', fetch });
  const input_schema = { type: 'object', properties: {} };
  const tool = { name: 'add', description: 'Adds.', input_schema, run: async () => '4', parse: (input) => input };
  const messages = [{ role: 'user', content: 'What is 2 + 2?' }];
  await client.beta.messages.toolRunner({ model: 'any', max_tokens: 99, tools: [tool], messages, ...more });
  return `${sent[1].messages.length} messages, ${sent[1].tools?.length ?? 0} tools`;
}
const seen = [await secondRequest('old', {}), await secondRequest('new', {}), await secondRequest('new', { thread: false })];
console.log(`1.0.0: ${seen[0]} | 1.14.0: ${seen[1]} | 1.14.0 with thread: false: ${seen[2]}`);
process.exit(seen.join('|') === '3 messages, 1 tools|1 messages, 0 tools|3 messages, 1 tools' ? 0 : 1);
JS
node probe.mjs
