import { useState } from 'preact/hooks';
import { api } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import type { GrantRow, Page } from '../data/wire.js';
import { useConsole } from '../session.js';
import { Confirm } from './confirm.js';
import { Empty, ErrorNotice, Loading } from './notice.js';
import { Table } from './table.js';
import { Time } from './time.js';

/** Scheme and host, of addresses that open a program as well. */
const placeOf = (uri: string): string => {
  const { protocol, host } = new URL(uri);
  return `${protocol}//${host}`;
};

/** Apps that people have let in with OAuth, each with what it may do and a way to end it. */
export function ConnectedApps() {
  const { connectors = [] } = useConsole().feed;
  const grants = useResource((signal) => api<Page<GrantRow>>('/api/v1/oauth/grants', { signal }), []);
  const [revoking, setRevoking] = useState<GrantRow>();
  if (grants.state === 'loading') return <Loading what="connected apps" />;
  if (grants.state === 'failed') return <ErrorNotice error={grants.error} retry={grants.reload} />;
  const nameOf = (id: string) => visibleText(connectors.find((each) => each.id === id)?.name ?? id);
  const revoke = async ({ id }: GrantRow) => {
    await api(`/api/v1/oauth/grants/${id}`, { method: 'DELETE' });
    grants.reload();
  };
  return (
    <>
      {grants.data.data.length === 0 ? (
        <Empty title="No apps are connected.">
          <p>An MCP client that is given the address of /mcp asks you to sign in, and is listed here.</p>
        </Empty>
      ) : (
        <Table
          caption="Apps that people have let in; their names are their own claims"
          rows={grants.data.data}
          keyOf={({ id }) => id}
          columns={[
            { title: 'App', cell: ({ app_name }) => visibleText(app_name) },
            { title: 'Returns to', cell: ({ redirect_uri }) => <code>{placeOf(redirect_uri)}</code> },
            { title: 'Let in by', cell: ({ client_name, client_id }) => client_name ?? client_id },
            { title: 'Workspace', cell: ({ workspace_name }) => workspace_name },
            {
              title: 'Connectors',
              cell: ({ connector_ids }) => (connector_ids === null ? 'all' : connector_ids.map(nameOf).join(', ')),
            },
            { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
            { title: 'Connected', cell: ({ created_at }) => <Time at={created_at} /> },
            {
              title: 'Last used',
              cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
            },
            {
              title: 'Actions',
              cell: (grant) => (
                <button type="button" aria-label={`Revoke ${grant.app_name}`} onClick={() => setRevoking(grant)}>
                  Revoke
                </button>
              ),
            },
          ]}
        />
      )}
      {revoking ? (
        <Confirm
          title={`Revoke ${visibleText(revoking.app_name)}?`}
          action="Revoke"
          act={() => revoke(revoking)}
          close={() => setRevoking(undefined)}
        >
          <p>It is signed out at its next request. It can ask to be let in again.</p>
        </Confirm>
      ) : null}
    </>
  );
}
