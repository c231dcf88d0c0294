// #region tools
import { codeMode } from 'agent-connectors/code';
import { GongConnector } from 'agent-connectors/gong';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const gong = new GongConnector({
  credentials: {
    access_key: process.env.GONG_ACCESS_KEY ?? '',
    access_key_secret: process.env.GONG_ACCESS_KEY_SECRET ?? '',
    base_url: process.env.GONG_BASE_URL ?? 'https://api.gong.io',
  },
});

const tools = createAgentTools([linear, gong], {
  readOnly: true,
  codeMode: codeMode({ timeoutMs: 30_000, memoryMb: 64, calls: 50 }),
});
// #endregion

// #region run
/** Code that a model might send: it reads all issues and returns a few numbers. */
const code = `
  const counts = {};
  for await (const { state } of linear.issues.list.all({}, { select_fields: ['state.name'] })) {
    counts[state.name] = (counts[state.name] ?? 0) + 1;
  }
  return counts;`;
const runCode = tools.find(({ name }) => name === 'run_code');
const result = await runCode?.run({ code, intent: 'Count issues by state' });
// #endregion
console.log(JSON.stringify((result?.data as { data?: unknown } | undefined)?.data));
