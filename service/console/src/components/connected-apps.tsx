import type { Grant, List } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { api } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';
import { Confirm } from './confirm.js';
import { Empty, ErrorNotice, Loading } from './notice.js';
import { Table } from './table.js';
import { Time } from './time.js';

/** Scheme and host; also works for custom URL schemes that open an app. */
const placeOf = (uri: string): string => {
  const { protocol, host } = new URL(uri);
  return `${protocol}//${host}`;
};

/** Apps authorized with OAuth, with their permissions and a way to revoke them. */
export function ConnectedApps() {
  const { connectors = [] } = useConsole().feed;
  const grants = useResource((signal) => api<List<Grant>>('/api/v1/oauth/grants', { signal }), []);
  const [revoking, setRevoking] = useState<Grant>();
  if (grants.state === 'loading') return <Loading />;
  if (grants.state === 'failed') return <ErrorNotice error={grants.error} retry={grants.reload} />;
  const nameOf = (id: string) => visibleText(connectors.find((each) => each.id === id)?.name ?? id);
  const revoke = async ({ id }: Grant) => {
    await api(`/api/v1/oauth/grants/${id}`, { method: 'DELETE' });
    grants.reload();
  };
  return (
    <>
      {grants.data.data.length === 0 ? (
        <Empty title={texts.apps.none}>
          <p>{texts.apps.noneText}</p>
        </Empty>
      ) : (
        <Table
          caption={texts.apps.caption}
          rows={grants.data.data}
          keyOf={({ id }) => id}
          columns={[
            { title: texts.apps.app, cell: ({ app_name }) => visibleText(app_name) },
            { title: texts.apps.returnsTo, cell: ({ redirect_uri }) => <code>{placeOf(redirect_uri)}</code> },
            { title: texts.apps.allowedBy, cell: ({ client_name, client_id }) => client_name ?? client_id },
            { title: texts.workspace, cell: ({ workspace_name }) => workspace_name },
            {
              title: texts.connectors.title,
              cell: ({ connector_ids }) =>
                connector_ids === null ? texts.allWorkspaces : connector_ids.map(nameOf).join(', '),
            },
            { title: texts.scopes, cell: ({ scopes }) => scopes.join(', ') },
            { title: texts.apps.connected, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              title: texts.apps.lastUsed,
              cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
            },
            {
              title: texts.actions,
              cell: (grant) => (
                <button
                  type="button"
                  aria-label={texts.apps.revokeNamed(grant.app_name)}
                  onClick={() => setRevoking(grant)}
                >
                  {texts.apps.revoke}
                </button>
              ),
            },
          ]}
        />
      )}
      {revoking ? (
        <Confirm
          title={texts.apps.revokeTitle(visibleText(revoking.app_name))}
          action={texts.apps.revoke}
          act={() => revoke(revoking)}
          close={() => setRevoking(undefined)}
        >
          <p>{texts.apps.revokeText}</p>
        </Confirm>
      ) : null}
    </>
  );
}
