import type { Workspace } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { api, fetchAll } from '../data/api.js';
import { useAction } from '../data/use-action.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';
import { Confirm } from './confirm.js';
import { TextField } from './field.js';
import { Empty, ErrorNotice, Loading } from './notice.js';
import { Table } from './table.js';
import { count } from './time.js';

const path = '/api/v1/workspaces';

/** The organization's workspaces and their contents. */
export function Workspaces() {
  const { feed, session } = useConsole();
  const { connectors = [] } = feed;
  const workspaces = useResource((signal) => fetchAll<Workspace>(path, { signal }), []);
  const [name, setName] = useState('');
  const [deleting, setDeleting] = useState<string>();
  const { busy, error, run } = useAction();
  if (workspaces.state === 'loading') return <Loading />;
  if (workspaces.state === 'failed') return <ErrorNotice error={workspaces.error} retry={workspaces.reload} />;
  const connectorsIn = (workspace: string) => connectors.filter(({ workspace_name }) => workspace_name === workspace);
  const recordsIn = (workspace: string) => connectorsIn(workspace).reduce((sum, { records }) => sum + records, 0);
  const create = async (event: Event) => {
    event.preventDefault();
    if (!(await run(() => api(path, { method: 'POST', json: { name: name.trim() } })))) return;
    setName('');
    workspaces.reload();
  };
  return (
    <>
      {workspaces.data.length === 0 ? <Empty title={texts.noWorkspaces} /> : null}
      <Table
        caption={texts.workspacesCaption}
        rows={workspaces.data}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: (one) => visibleText(one.name) },
          { title: texts.connectors.title, numeric: true, cell: (one) => count(connectorsIn(one.name).length) },
          { title: texts.tabs.records, numeric: true, cell: (one) => count(recordsIn(one.name)) },
          {
            title: texts.actions,
            cell: (one) => (
              <button
                type="button"
                disabled={!session.scopes.includes('admin')}
                aria-label={texts.deleteNamed(one.name)}
                onClick={() => setDeleting(one.name)}
              >
                {texts.delete}
              </button>
            ),
          },
        ]}
      />
      <form onSubmit={create}>
        <div class="row">
          <TextField label={texts.newWorkspace} required value={name} change={setName} />
          <button type="submit" class="low" disabled={busy || name.trim() === ''}>
            {texts.createWorkspace}
          </button>
        </div>
        {error ? <ErrorNotice error={error} /> : null}
      </form>
      {deleting === undefined ? null : (
        <Confirm
          title={texts.deleteTitle(visibleText(deleting))}
          action={texts.deleteWorkspace}
          act={async () => {
            await api(`${path}/${encodeURIComponent(deleting)}`, { method: 'DELETE' });
            workspaces.reload();
          }}
          close={() => setDeleting(undefined)}
        >
          <p>{texts.deletes}</p>
          <ul>
            {connectorsIn(deleting).map((one) => (
              <li key={one.id}>{texts.deletesConnector(visibleText(one.name), one.records)}</li>
            ))}
            <li>{texts.deletesWorkspace}</li>
          </ul>
          <p>{texts.keepsVendors}</p>
        </Confirm>
      )}
    </>
  );
}
