import type { Client, ClientSecret, List, TokenScope } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { api } from '../data/api.js';
import { useAction } from '../data/use-action.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { texts } from '../texts/index.js';
import { Checks } from './checks.js';
import { Confirm } from './confirm.js';
import { Dialog, DialogButtons } from './dialog.js';
import { ErrorNotice, Loading } from './notice.js';
import { ShownOnce } from './shown-once.js';
import { Table } from './table.js';
import { Time } from './time.js';

const scopeNames: readonly TokenScope[] = ['read', 'write', 'manage', 'admin'];
const pathOf = ({ id }: Client, rest = '') => `/api/v1/clients/${encodeURIComponent(id)}${rest}`;

/** Clients, their scopes, and a way to roll their secrets. */
export function Clients() {
  const clients = useResource((signal) => api<List<Client>>('/api/v1/clients', { signal }), []);
  const [changing, setChanging] = useState<Client>();
  const [rolling, setRolling] = useState<Client>();
  const [rolled, setRolled] = useState<ClientSecret & { readonly name: string }>();
  if (clients.state === 'loading') return <Loading />;
  if (clients.state === 'failed') return <ErrorNotice error={clients.error} retry={clients.reload} />;
  const roll = async (client: Client) => {
    const answer = await api<ClientSecret>(pathOf(client, '/secret'), { method: 'POST' });
    setRolled({ ...answer, name: visibleText(client.name) });
  };
  return (
    <>
      {rolled ? (
        <ShownOnce
          label={texts.secretOf(rolled.name)}
          secret={rolled.client_secret}
          previousUntil={rolled.previous_valid_until}
          close={() => setRolled(undefined)}
        />
      ) : null}
      <Table
        class="list"
        caption={texts.clients.caption}
        rows={clients.data.data}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ name, own }) => visibleText(own ? texts.clients.own(name) : name) },
          { title: texts.scopes, cell: ({ scopes }) => scopes.join(', ') },
          {
            title: texts.clients.user,
            cell: ({ as_user, as_groups }) =>
              as_user === null ? (
                <span class="quiet">{texts.clients.anyone}</span>
              ) : (
                <>
                  {visibleText(as_user)}
                  {as_groups.length === 0 ? null : (
                    <span class="reason">{visibleText(texts.clients.inGroups(as_groups))}</span>
                  )}
                </>
              ),
          },
          { title: texts.clients.created, cell: ({ created_at }) => <Time at={created_at} /> },
          { title: texts.clients.id, cell: ({ id }) => <code>{id}</code> },
          {
            title: texts.actions,
            cell: (client) => (
              <span class="buttons inline">
                <button type="button" aria-label={texts.scopesOf(client.name)} onClick={() => setChanging(client)}>
                  {texts.changeScopes}
                </button>
                <button type="button" aria-label={texts.rollSecretOf(client.name)} onClick={() => setRolling(client)}>
                  {texts.rollSecret}
                </button>
              </span>
            ),
          },
        ]}
      />
      {changing ? <Scopes client={changing} close={() => setChanging(undefined)} onChange={clients.reload} /> : null}
      {rolling ? (
        <Confirm
          title={texts.rollTitle(visibleText(rolling.name))}
          action={texts.rollSecret}
          act={() => roll(rolling)}
          close={() => setRolling(undefined)}
        >
          <p>{texts.rollText}</p>
        </Confirm>
      ) : null}
    </>
  );
}

interface ScopesProps {
  readonly client: Client;
  readonly close: () => void;
  readonly onChange: () => void;
}

function Scopes({ client, close, onChange }: ScopesProps) {
  const [scopes, setScopes] = useState<readonly TokenScope[]>(client.scopes);
  const { busy, error, run } = useAction();
  const save = async (event: Event) => {
    event.preventDefault();
    if (!(await run(() => api(pathOf(client), { method: 'PUT', json: { scopes } })))) return;
    onChange();
    close();
  };
  return (
    <Dialog title={texts.scopesOf(visibleText(client.name))} close={close}>
      <form onSubmit={save}>
        <Checks legend={texts.scopes} names={scopeNames} chosen={scopes} choose={setScopes} />
        <ul class="help">
          {scopeNames.map((name) => (
            <li key={name}>
              <code>{name}</code> {texts.scopeHelp[name]}
            </li>
          ))}
        </ul>
        {client.own ? <p>{texts.ownScopes}</p> : null}
        {error ? <ErrorNotice error={error} /> : null}
        <DialogButtons submit={texts.save} disabled={busy || scopes.length === 0} close={close} />
      </form>
    </Dialog>
  );
}
