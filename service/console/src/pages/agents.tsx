import { useState } from 'preact/hooks';
import { Code } from '../components/code.js';
import { Choice } from '../components/field.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { count } from '../components/time.js';
import { api } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import type { SkillDocs } from '../data/wire.js';
import { baseUrlOf, useConsole, workspacesOf } from '../session.js';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
/** English and Markdown have about four bytes to a token. */
const tokensOf = (text: string): number => Math.ceil(bytesOf(text) / 4);

/** How to connect an agent, and the documentation that it reads. */
export function AgentsPage() {
  const { session, feed } = useConsole();
  const { connectors, error } = feed;
  const workspaces = workspacesOf(connectors ?? []);
  const [workspace, setWorkspace] = useState<string>();
  const [type, setType] = useState<string>();
  const types = new Map((connectors ?? []).map(({ connector_type, title }) => [connector_type, title]));
  const selectedWorkspace = workspace ?? workspaces[0] ?? 'default';
  const selectedType = type ?? [...types.keys()][0];
  return (
    <>
      <h1>Agents</h1>
      <h2>Connect an agent</h2>
      <p>
        MCP clients use the connectors of a workspace through these tools.{' '}
        {session.mcp_allow_writes
          ? 'They can change data.'
          : 'They can only read. To allow writes, start the service with '}
        {session.mcp_allow_writes ? null : <code>--mcp-allow-writes</code>}
      </p>
      {workspaces.length > 1 ? (
        <Choice
          label="Workspace"
          value={selectedWorkspace}
          options={workspaces.map((name) => [name, name])}
          choose={setWorkspace}
        />
      ) : null}
      <Code label="Desktop clients (run agent-connectors login first)" text={desktopConfig(selectedWorkspace)} />
      <Code
        label="HTTP clients (tokens are valid for 15 minutes)"
        text={httpConfig(baseUrlOf(session), selectedWorkspace)}
      />
      <h2>Documentation for agents</h2>
      {error ? <ErrorNotice error={error} /> : null}
      {!connectors && !error ? <Loading what="connectors" /> : null}
      {connectors?.length === 0 ? (
        <Empty title="No connectors yet">
          <p>Add a connector to see its documentation.</p>
        </Empty>
      ) : null}
      {types.size > 1 ? <Choice label="Type" value={selectedType ?? ''} options={[...types]} choose={setType} /> : null}
      {selectedType ? <Docs key={selectedType} type={selectedType} /> : null}
    </>
  );
}

const desktopConfig = (workspace: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        'agent-connectors': { command: 'npx', args: ['-y', 'agent-connectors', 'mcp', '--workspace', workspace] },
      },
    },
    null,
    2,
  );

const httpConfig = (baseUrl: string, workspace: string): string =>
  JSON.stringify(
    {
      servers: {
        'agent-connectors': {
          type: 'http',
          url: `${baseUrl}/mcp`,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
          headers: { Authorization: 'Bearer ${input:token}', 'X-Workspace': workspace },
        },
      },
    },
    null,
    2,
  );

function Docs({ type }: { readonly type: string }) {
  const [section, setSection] = useState('');
  const docs = useResource(
    (signal) => {
      const query = new URLSearchParams({ id: `${type}-connector-docs`, ...(section !== '' && { section }) });
      return api<SkillDocs>(`/api/v1/skills/docs?${query}`, { signal });
    },
    [type, section],
  );
  if (docs.state === 'loading') return <Loading what="the documentation" />;
  if (docs.state === 'failed') return <ErrorNotice error={docs.error} retry={docs.reload} />;
  const { metadata, outline, content } = docs.data;
  return (
    <>
      <p class="quiet">
        {metadata.title} {metadata.version} · {outline.length} sections · <code>{metadata.hash.slice(0, 16)}</code>
      </p>
      <div class="docs">
        <nav aria-label="Sections">
          <ul>
            {[{ id: '', title: 'Overview' }, ...outline].map(({ id, title }) => (
              <li key={id}>
                <button
                  type="button"
                  class="plain"
                  aria-current={id === section ? 'true' : undefined}
                  onClick={() => setSection(id)}
                  title={id}
                >
                  {id.startsWith('actions.') ? id.slice('actions.'.length) : title}
                </button>
              </li>
            ))}
          </ul>
        </nav>
        <Code
          label={`${section === '' ? 'overview' : section}: about ${count(tokensOf(content))} tokens`}
          text={content}
        />
      </div>
    </>
  );
}
