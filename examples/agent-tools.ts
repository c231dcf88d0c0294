// #region tools
import { createInterface } from 'node:readline/promises';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const granola = new GranolaConnector({ credentials: { api_key: process.env.GRANOLA_API_KEY ?? '' } });

async function askTheUser(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} (yes or no) `);
  terminal.close();
  return answer === 'yes';
}

const tools = createAgentTools([linear, granola], {
  allow: ['*.list', '*.get', 'issues.create', 'comments.create'],
  approve: ({ entity, action, params }) => askTheUser(`${entity}.${action} with ${JSON.stringify(params)}?`),
  maxOutputTokens: 10_000,
});

for (const { name, description, inputSchema } of tools) {
  console.log(name, description.length, Object.keys(inputSchema.properties ?? {}));
}
// #endregion

// #region run
/** Handles a tool call made by the model, like a framework would. */
async function call(name: string, args: unknown, signal?: AbortSignal) {
  const tool = tools.find((candidate) => candidate.name === name);
  const { text, isError } = (await tool?.run(args, { signal })) ?? { text: `No tool ${name}.`, isError: true };
  return { content: text, isError };
}

const params = { first: 5 };
const listed = await call('execute', { connector: 'linear', entity: 'issues', action: 'list', params });
const refused = await call('execute', { connector: 'linear', entity: 'comment', action: 'list', params });
// #endregion
console.log(listed.isError, refused.content.split('\n')[1]);
