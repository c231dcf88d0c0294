import type { ConnectorOverview, HostedConnector } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { Checks } from '../components/checks.js';
import { Confirm } from '../components/confirm.js';
import { Choice, TextField } from '../components/field.js';
import { ErrorNotice, Unloaded } from '../components/notice.js';
import { enterCredentials } from '../components/problem.js';
import { api, connectorPath } from '../data/api.js';
import { wordsOf } from '../data/record.js';
import { useAction } from '../data/use-action.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { navigate } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

type ReplicationConfig = Readonly<Record<string, unknown>>;

/** Name, replication, credentials and deletion of a connector. */
export function SettingsTab({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, name, entities, connector_type } = connector;
  const { session } = useConsole();
  const mayManage = session.scopes.includes('manage');
  const usual = session.types.find((type) => type.name === connector_type)?.sync_interval ?? null;
  const stored = useResource((signal) => api<HostedConnector>(connectorPath(id), { signal }), [id]);
  if (!mayManage) return <p class="notice">{texts.needsScope('manage')}</p>;
  return (
    <>
      <Rename key={name} id={id} name={name} />
      {entities.length > 0 ? <h2>{texts.replication}</h2> : null}
      <Unloaded resource={stored} />
      {stored.state === 'done' && entities.length > 0 ? (
        <ReplicationForm
          id={id}
          config={stored.data.replication_config ?? {}}
          usual={usual}
          names={entities.map(({ entity }) => entity)}
        />
      ) : null}
      <h2>{texts.credentials}</h2>
      <Credentials connector={connector} />
      <h2>{texts.deleteConnector}</h2>
      <DeleteConnector connector={connector} />
    </>
  );
}

function Rename({ id, name }: { readonly id: string; readonly name: string }) {
  const [text, setText] = useState(name);
  const { busy, error, run } = useAction();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(() => api(connectorPath(id), { method: 'PUT', json: { name: text.trim() } }));
      }}
    >
      <div class="row">
        <TextField label={texts.name} required value={text} change={setText} />
        <button type="submit" class="low" disabled={busy || text.trim() === '' || text.trim() === name}>
          {texts.rename}
        </button>
      </div>
      {error ? <ErrorNotice error={error} /> : null}
    </form>
  );
}

interface ReplicationFormProps {
  readonly id: string;
  readonly config: ReplicationConfig;
  /** The type's default interval. */
  readonly usual: string | null;
  /** Entities that can be replicated, except for those hidden by policies. */
  readonly names: readonly string[];
}

function ReplicationForm({ id, config, usual, names }: ReplicationFormProps) {
  const { interval: before, entities, ...rest } = config;
  const chosenBefore = entities as readonly string[] | undefined;
  const [interval, setInterval] = useState(typeof before === 'string' ? before : '');
  const [chosen, setChosen] = useState<readonly string[]>(names.filter((name) => chosenBefore?.includes(name) ?? true));
  const [note, setNote] = useState('');
  const { busy, error, run } = useAction();
  const known = texts.intervals.map((each) => [each, texts.everyInterval(each)] as const);
  const options: ReadonlyArray<readonly [string, string]> = [
    ['', texts.defaultInterval(texts.everyInterval(usual ?? ''))],
    ...known,
    ...(interval === '' || texts.intervals.includes(interval)
      ? []
      : [[interval, texts.everyInterval(interval)] as const]),
  ];
  const save = async (event: Event) => {
    event.preventDefault();
    // Entities hidden by a policy keep their setting.
    const hidden = (chosenBefore ?? []).filter((name) => !names.includes(name));
    const replication_config = {
      ...rest,
      ...(interval !== '' && { interval }),
      ...((chosen.length < names.length || hidden.length > 0) && { entities: [...chosen, ...hidden] }),
    };
    setNote('');
    const isSaved = await run(() => api(connectorPath(id), { method: 'PUT', json: { replication_config } }));
    if (isSaved) setNote(texts.saved);
  };
  return (
    <form onSubmit={save}>
      <Choice label={texts.interval} value={interval} options={options} choose={setInterval} />
      <Checks legend={texts.entities} names={names} titleOf={wordsOf} chosen={chosen} choose={setChosen} />
      <p class="help">{chosen.length === 0 ? texts.oneEntity : texts.entitiesHelp}</p>
      {error ? <ErrorNotice error={error} /> : null}
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || chosen.length === 0}>
          {texts.save}
        </button>
        <span role="status">{note}</span>
      </div>
    </form>
  );
}

function Credentials({ connector: { id, title, health } }: { readonly connector: ConnectorOverview }) {
  const isNew = health === 'no_credentials';
  const [anyAccount, setAnyAccount] = useState(false);
  const { busy, error, run } = useAction();
  return (
    <>
      <p class="quiet">{texts.credentialsText(title)}</p>
      {isNew ? null : (
        <p>
          <label>
            <input type="checkbox" checked={anyAccount} onChange={() => setAnyAccount(!anyAccount)} />{' '}
            {texts.anyAccount(title)}
          </label>
        </p>
      )}
      {error ? <ErrorNotice error={error} /> : null}
      <button type="button" disabled={busy} onClick={() => run(() => enterCredentials(id, anyAccount))}>
        {isNew ? texts.enterCredentials : texts.newCredentials}
      </button>
    </>
  );
}

function DeleteConnector({ connector: { id, name, title, records } }: { readonly connector: ConnectorOverview }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        {texts.deleteConnector}
      </button>
      {asking ? (
        <Confirm
          title={texts.deleteTitle(visibleText(name))}
          action={texts.deleteConnector}
          act={() => api(connectorPath(id), { method: 'DELETE' })}
          close={() => setAsking(false)}
          done={() => navigate('/connectors')}
        >
          <p>{texts.deletes}</p>
          <ul>
            <li>{texts.deletesRecords(records)}</li>
            <li>{texts.deletesCredentials(title)}</li>
            <li>{texts.deletesRest}</li>
          </ul>
          <p>{texts.keeps(title)}</p>
        </Confirm>
      ) : null}
    </>
  );
}
