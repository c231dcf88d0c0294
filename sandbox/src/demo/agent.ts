import type { GongConnector } from 'agent-connectors/gong';
import type { GoogleDriveConnector } from 'agent-connectors/google-drive';
import type { AgentConnectors } from 'agent-connectors/hosted';
import type { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { line, show } from './screen.js';

/** Connectors by the names that the agent uses. */
export interface Connectors {
  readonly linear: LinearConnector;
  readonly gong: GongConnector;
  readonly 'google-drive': GoogleDriveConnector;
}

interface Hit {
  readonly connector: string;
  readonly id: string;
  readonly title: string | null;
  readonly snippet: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Answers a question from calls, issues and documents: each tool call uses the results of the previous one. */
export async function answerQuestion(client: AgentConnectors, connectors: Connectors): Promise<void> {
  const tools = createAgentTools({ ...connectors }, { readOnly: true, searchAll: (query) => client.search(query) });
  const use = async (name: string, args: object) => {
    const result = await tools.find((tool) => tool.name === name)?.run(args);
    if (!result || result.isError) throw new Error(result?.text ?? `Tool ${name} not found.`);
    return result.data;
  };
  const execute = (
    connector: keyof Connectors,
    entity: string,
    action: string,
    params: Row,
    title: (row: Row) => string,
  ) =>
    show(
      `execute  ${connector}: ${entity}.${action}(${JSON.stringify(params)})`,
      async () => {
        const { data } = (await use('execute', { connector, entity, action, params })) as { data: Row | Row[] };
        return (Array.isArray(data) ? data[0] : data) as Row;
      },
      (row) => [title(row)],
    );

  line('Question: Why do Calder & Sons see bank lines twice, who is fixing it, and is there a design?');
  const { hits } = await show(
    'search   {"prompt":"bank lines booked twice for Calder & Sons","limit":2}',
    async () =>
      (await use('search', { prompt: 'bank lines booked twice for Calder & Sons', limit: 2 })) as { hits: Hit[] },
    (found) =>
      found.hits.map(({ connector, title, snippet }) => `${connector}: ${title ?? snippet.replaceAll('**', '')}`),
  );
  const hitOf = (connector: keyof Connectors) => hits.find((hit) => hit.connector === connector);
  const call = await execute('gong', 'calls', 'get', { id: hitOf('gong')?.id }, ({ title }) => `${title}`);
  const issue = await execute(
    'linear',
    'issues',
    'get',
    { id: hitOf('linear')?.title?.split(' ')[0] },
    ({ description }) => `${description}`,
  );
  const [, named] = /“(.+)”/.exec(`${issue.description}`) ?? [];
  const file = await execute(
    'google-drive',
    'files',
    'list',
    { q: `name = '${named}'` },
    ({ name, lastModifyingUser }) => `${name}, last changed by ${(lastModifyingUser as Row).displayName}`,
  );

  const { name: assignee } = issue.assignee as Row;
  const { name: state } = issue.state as Row;
  console.log();
  line(`Answer: A bank that answers late is asked again, and both answers are booked [1, 2].`);
  line(`${assignee} is fixing it; ${issue.identifier} is ${state} [2]. The design is “${file.name}” [3].`);
  for (const [index, [title, url]] of [
    [`${call.title}, ${`${call.started}`.slice(0, 10)}`, call.url],
    [`${issue.identifier} ${issue.title}`, `${issue.url}`.replace(/\/[^/]*$/, '')],
    [file.name, `${file.webViewLink}`.replace(/\/edit.*$/, '')],
  ].entries()) {
    line(`[${index + 1}] ${title}`);
    line(`    ${url}`);
  }
}
