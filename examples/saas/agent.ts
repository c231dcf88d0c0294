/** The agent: answers a user's questions from the user's accounts. */
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import type { AgentConnectors, HostedConnector } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { type AgentTool, createAgentTools, type ToolConnector, type ToolResult } from 'agent-connectors/tools';

const connectorTypes = { linear: LinearConnector, 'google-drive': GoogleDriveConnector, granola: GranolaConnector };

/** Decides the next step: a tool call or the answer. */
export type Model = (turn: {
  readonly question: string;
  readonly tools: readonly AgentTool[];
  /** Results of the calls so far; a model reads their `text`. */
  readonly results: readonly ToolResult[];
}) => Promise<{ readonly tool: string; readonly args: unknown } | { readonly answer: string }>;

/** Lets a model answer with read-only tools. The client is the user's and cannot reach other users' accounts. */
export async function ask(
  client: AgentConnectors,
  connectors: readonly HostedConnector[],
  question: string,
  next: Model,
): Promise<string> {
  if (connectors.length === 0) return 'Connect an account first.';
  const entries = connectors.map(({ id, name, connector_type }) => {
    const Connector = connectorTypes[connector_type as keyof typeof connectorTypes];
    return [name, client.connect<ToolConnector>(Connector, { connectorId: id })] as const;
  });
  const tools = createAgentTools(Object.fromEntries(entries), {
    readOnly: true,
    searchAll: (search) => client.search({ connectors: connectors.map(({ name }) => name), ...search }),
  });
  const results: ToolResult[] = [];
  while (results.length < 10) {
    const step = await next({ question, tools, results });
    if ('answer' in step) return step.answer;
    const tool = tools.find(({ name }) => name === step.tool);
    results.push((await tool?.run(step.args)) ?? { text: `There is no tool '${step.tool}'.`, isError: true });
  }
  return 'No answer after 10 calls.';
}

/** The account types that users can connect, and what the scripted model lists from each. */
export const accountTypes = {
  linear: { title: 'Linear', list: { entity: 'issues', params: { first: 3 } } },
  'google-drive': { title: 'Google Drive', list: { entity: 'files', params: { pageSize: 3 } } },
  granola: { title: 'Granola', list: { entity: 'notes', params: { page_size: 3 } } },
};

/** The type of an account. */
export type AccountType = keyof typeof accountTypes;

/** Replace with your language model: lists a few records of each account, whatever the question. */
export const scriptedModel =
  (connectors: readonly HostedConnector[]): Model =>
  async ({ results }) => {
    const connector = connectors[results.length];
    if (!connector) return { answer: connectors.flatMap(({ name }, at) => titlesOf(name, results[at])).join('\n') };
    const { list } = accountTypes[connector.connector_type as AccountType];
    return { tool: 'execute', args: { connector: connector.name, action: 'list', ...list } };
  };

const titlesOf = (account: string, result: ToolResult | undefined): string[] => {
  if (!result || result.isError) return [`${account} could not be read.`];
  const { data: records } = result.data as { data: ReadonlyArray<{ title?: string; name?: string }> };
  return records.map(({ title, name }) => title ?? name ?? 'Untitled');
};
