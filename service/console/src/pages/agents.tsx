import type { SkillDocs } from 'agent-connectors/wire';
import { Code } from '../components/code.js';
import { Choice } from '../components/field.js';
import { InlineCode, Name } from '../components/inline-code.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { api } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import { useChoices, useTitle } from '../router.js';
import { baseUrlOf, useConsole, workspacesOf } from '../session.js';
import { texts } from '../texts/index.js';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
/** English and Markdown average about four bytes per token. */
const tokensOf = (text: string): number => Math.ceil(bytesOf(text) / 4);

/** How to connect an agent, and the documentation it reads. */
export function AgentsPage() {
  const { session, feed } = useConsole();
  const { connectors, error } = feed;
  const workspaces = workspacesOf(connectors ?? []);
  const [query, change] = useChoices();
  const [workspace, type] = [query.get('workspace'), query.get('type')];
  useTitle(texts.agents.title);
  const types = new Map((connectors ?? []).map(({ connector_type, title }) => [connector_type, title]));
  const selectedWorkspace = workspace ?? workspaces[0] ?? '<workspace>';
  const selectedType = type ?? [...types.keys()][0];
  const baseUrl = baseUrlOf(session);
  return (
    <>
      <h1>{texts.agents.title}</h1>
      <h2>{texts.agents.connect}</h2>
      <p>
        <InlineCode text={session.mcp_allow_writes ? texts.agents.writing : texts.agents.reading} />
      </p>
      {workspaces.length > 1 ? (
        <Choice
          label={texts.workspace}
          value={selectedWorkspace}
          options={workspaces.map((name) => [name, name])}
          choose={(name) => change({ workspace: name })}
        />
      ) : null}
      <h3>{texts.agents.byUrl}</h3>
      <p class="quiet">{texts.agents.byUrlText}</p>
      <Code label={texts.agents.url} text={`${baseUrl}/mcp`} />
      <Code label={texts.agents.claudeCode} text={`claude mcp add --transport http agent-connectors ${baseUrl}/mcp`} />
      <Code label={texts.agents.cursor} text={urlConfig(`${baseUrl}/mcp`)} />
      <h3>{texts.agents.byCommand}</h3>
      <p class="quiet">
        <InlineCode text={texts.agents.byCommandText} />
      </p>
      <Code label={texts.agents.desktop} text={commandConfig(baseUrl, selectedWorkspace)} />
      <h3>{texts.agents.byToken}</h3>
      <p class="quiet">{texts.agents.byTokenText}</p>
      <Code label={texts.agents.commands} text={tokenCommands(baseUrl, selectedWorkspace)} />
      <h2>{texts.agents.docs}</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {!connectors && !error ? <Loading /> : null}
      {connectors?.length === 0 ? (
        <Empty title={texts.connectors.none}>
          <p>{texts.agents.docsText}</p>
        </Empty>
      ) : null}
      {types.size > 1 ? (
        <Choice
          label={texts.connectors.type}
          value={selectedType ?? ''}
          options={[...types]}
          choose={(name) => change({ type: name, section: '' })}
        />
      ) : null}
      {selectedType ? <Docs key={selectedType} type={selectedType} /> : null}
    </>
  );
}

/** Where clients that sign their users in find the service. */
const urlConfig = (url: string): string => JSON.stringify({ mcpServers: { 'agent-connectors': { url } } }, null, 2);

/** A command that reads the service and its token from the environment. */
const commandConfig = (baseUrl: string, workspace: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        'agent-connectors': {
          command: 'npx',
          args: ['-y', 'agent-connectors', 'mcp', '--workspace', workspace],
          env: {
            AGENT_CONNECTORS_BASE_URL: baseUrl,
            AGENT_CONNECTORS_CLIENT_ID: texts.agents.clientId,
            AGENT_CONNECTORS_CLIENT_SECRET: texts.agents.clientSecret,
          },
        },
      },
    },
    null,
    2,
  );

/** A request with a token, as programs send it. */
const tokenCommands = (baseUrl: string, workspace: string): string =>
  [
    `TOKEN=$(curl -s ${baseUrl}/api/v1/account/applications/token -H 'content-type: application/json' \\`,
    `  -d '{"client_id": "${texts.agents.clientId}", "client_secret": "${texts.agents.clientSecret}"}' | jq -r .access_token)`,
    `claude mcp add --transport http agent-connectors ${baseUrl}/mcp \\`,
    `  --header "Authorization: Bearer $TOKEN" --header "X-Workspace: ${workspace}"`,
  ].join('\n');

function Docs({ type }: { readonly type: string }) {
  const [query, change] = useChoices();
  const section = query.get('section') ?? '';
  const docs = useResource(
    (signal) => {
      const query = new URLSearchParams({ id: `${type}-connector-docs`, ...(section !== '' && { section }) });
      return api<SkillDocs>(`/api/v1/skills/docs?${query}`, { signal });
    },
    [type, section],
  );
  if (docs.state === 'loading') return <Loading />;
  if (docs.state === 'failed') return <ErrorNotice error={docs.error} retry={docs.reload} />;
  const { metadata, outline, content } = docs.data;
  return (
    <>
      <p class="quiet">
        {metadata.title} {metadata.version} · {texts.agents.sectionCount(outline.length)}
      </p>
      <div class="docs">
        <nav aria-label={texts.agents.sections}>
          <ul>
            {[{ id: '', title: texts.agents.overview }, ...outline].map(({ id, title }) => (
              <li key={id}>
                <button
                  type="button"
                  class="plain"
                  aria-current={id === section ? 'true' : undefined}
                  onClick={() => change({ section: id })}
                  title={id}
                >
                  <Name text={id.startsWith('actions.') ? id.slice('actions.'.length) : title} />
                </button>
              </li>
            ))}
          </ul>
        </nav>
        <Code
          label={texts.agents.size(section === '' ? texts.agents.overview : section, tokensOf(content))}
          text={content}
        />
      </div>
    </>
  );
}
