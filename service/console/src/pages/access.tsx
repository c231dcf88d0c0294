import { Clients } from '../components/clients.js';
import { Code } from '../components/code.js';
import { ConnectedApps } from '../components/connected-apps.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { PolicyForm } from '../components/policy-form.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { Workspaces } from '../components/workspaces.js';
import { api, fetchAll } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import type { Page, PolicyRow, Workspace } from '../data/wire.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

/** Workspaces, policies, apps and clients. */
export function AccessPage() {
  return (
    <>
      <h1>Access</h1>
      <h2>{texts.workspaces}</h2>
      <Workspaces />
      <h2>Policies</h2>
      <Policies />
      <h2>Connected apps</h2>
      <ConnectedApps />
      <h2>Clients</h2>
      <Clients />
      <p class="quiet">Create and delete clients on the service’s machine. A console session cannot create clients:</p>
      <Code
        label="On the service’s machine"
        text={
          'agent-connectors-service create-client --name "nightly report"\nagent-connectors-service delete-client <id>'
        }
      />
    </>
  );
}

/** Policies of workspaces and of connectors that have their own. */
function Policies() {
  const { connectors = [] } = useConsole().feed;
  const policies = useResource((signal) => api<Page<PolicyRow>>('/api/v1/policies', { signal }), []);
  const workspaces = useResource((signal) => fetchAll<Workspace>('/api/v1/workspaces', { signal }), []);
  if (policies.state === 'failed') return <ErrorNotice error={policies.error} retry={policies.reload} />;
  if (workspaces.state === 'failed') return <ErrorNotice error={workspaces.error} retry={workspaces.reload} />;
  if (policies.state === 'loading' || workspaces.state === 'loading') return <Loading what="policies" />;
  const rows = policies.data.data;
  const nameOf = (id: string | null) => connectors.find((each) => each.id === id)?.name ?? id;
  return (
    <>
      {rows.length === 0 ? (
        <Empty title="No policies">
          <p>Every client can run any action that the connectors’ credentials allow.</p>
        </Empty>
      ) : (
        <Table
          caption="Policies. A call must satisfy every policy that applies to it."
          rows={rows}
          keyOf={({ workspace_name, connector_id }) => `${workspace_name} ${connector_id}`}
          columns={[
            { title: 'Workspace', cell: ({ workspace_name }) => workspace_name },
            { title: 'Connector', cell: ({ connector_id }) => nameOf(connector_id) ?? 'all connectors' },
            { title: 'Writes', cell: ({ read_only }) => (read_only ? 'denied' : 'allowed') },
            {
              title: 'Allowed actions',
              cell: ({ allow }) => (allow === null ? 'any' : allow.length === 0 ? 'none' : allow.join(', ')),
            },
            {
              title: 'Need approval',
              cell: ({ approval, approval_by }) =>
                approval === null
                  ? 'none'
                  : `${approval.join(', ')} (${approval_by === 'other' ? 'another client' : 'any client'})`,
            },
            { title: 'Updated', cell: ({ updated_at }) => <Time at={updated_at} /> },
          ]}
        />
      )}
      <PolicyForm
        rules={rows}
        workspaces={workspaces.data.map(({ name }) => name)}
        connectors={connectors}
        onChange={policies.reload}
      />
    </>
  );
}
