import type { List, Policy, Workspace } from 'agent-connectors/wire';
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
import { useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

/** Workspaces, policies, apps and clients. */
export function AccessPage() {
  useTitle(texts.access);
  return (
    <>
      <h1>{texts.access}</h1>
      <h2>{texts.workspaces}</h2>
      <Workspaces />
      <h2>{texts.policies.title}</h2>
      <Policies />
      <h2>{texts.apps.title}</h2>
      <ConnectedApps />
      <h2>{texts.clients.title}</h2>
      <Clients />
      <p class="quiet">{texts.clients.byCommand}</p>
      <Code
        label={texts.clients.commands}
        text={
          'agent-connectors-service create-client --name "nightly report"\nagent-connectors-service delete-client <id>'
        }
      />
    </>
  );
}

/** Policies for workspaces and for connectors that have their own. */
function Policies() {
  const { connectors = [] } = useConsole().feed;
  const policies = useResource((signal) => api<List<Policy>>('/api/v1/policies', { signal }), []);
  const workspaces = useResource((signal) => fetchAll<Workspace>('/api/v1/workspaces', { signal }), []);
  if (policies.state === 'failed') return <ErrorNotice error={policies.error} retry={policies.reload} />;
  if (workspaces.state === 'failed') return <ErrorNotice error={workspaces.error} retry={workspaces.reload} />;
  if (policies.state === 'loading' || workspaces.state === 'loading') return <Loading />;
  const rows = policies.data.data;
  const nameOf = (id: string | null) => connectors.find((each) => each.id === id)?.name ?? id;
  return (
    <>
      {rows.length === 0 ? (
        <Empty title={texts.policies.none}>
          <p>{texts.policies.noneText}</p>
        </Empty>
      ) : (
        <Table
          caption={texts.policies.caption}
          rows={rows}
          keyOf={({ workspace_name, connector_id }) => `${workspace_name} ${connector_id}`}
          columns={[
            { title: texts.workspace, cell: ({ workspace_name }) => workspace_name },
            { title: texts.connector, cell: ({ connector_id }) => nameOf(connector_id) ?? texts.allWorkspaces },
            {
              title: texts.policies.writes,
              cell: ({ read_only }) => (read_only ? texts.policies.denied : texts.policies.writesAllowed),
            },
            {
              title: texts.policies.allowed,
              cell: ({ allow }) =>
                allow === null ? texts.policies.any : allow.length === 0 ? texts.policies.nothing : allow.join(', '),
            },
            {
              title: texts.policies.approvals,
              cell: ({ approval, approval_by }) =>
                approval === null
                  ? texts.policies.nothing
                  : texts.policies.approvedAs(approval.join(', '), approval_by === 'other'),
            },
            { title: texts.policies.updated, cell: ({ updated_at }) => <Time at={updated_at} /> },
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
