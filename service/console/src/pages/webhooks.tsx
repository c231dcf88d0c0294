import type { CreatedWebhook, List, RolledSecret, Webhook, Workspace } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { Confirm } from '../components/confirm.js';
import { Choice, TextField } from '../components/field.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { ShownOnce } from '../components/shown-once.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { connectorEvents, EventChecks, EventsOf, requestedEvents } from '../components/webhook-events.js';
import { api, fetchAll } from '../data/api.js';
import { useAction } from '../data/use-action.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { Link, useTitle } from '../router.js';
import { texts } from '../texts/index.js';
import { WebhookPage, webhookPath } from './webhook.js';

type ShownSecret = Pick<CreatedWebhook, 'url' | 'secret'> & Partial<Pick<RolledSecret, 'previous_valid_until'>>;

/** Webhook endpoints for connector events or, given an id, one endpoint's deliveries. */
export function WebhooksPage({ id }: { readonly id: string | undefined }) {
  const webhooks = useResource((signal) => api<List<Webhook>>(webhookPath(), { signal }), []);
  const [shown, setShown] = useState<ShownSecret>();
  useTitle(texts.webhooks);
  if (webhooks.state === 'loading') return <Loading />;
  if (webhooks.state === 'failed') {
    return (
      <>
        <h1>{texts.webhooks}</h1>
        <ErrorNotice error={webhooks.error} retry={webhooks.reload} />
      </>
    );
  }
  const webhook = webhooks.data.data.find((one) => one.id === id);
  if (webhook) return <WebhookPage key={webhook.id} webhook={webhook} reload={webhooks.reload} />;
  return (
    <>
      <h1>{texts.webhooks}</h1>
      <p class="quiet">{texts.webhooksText}</p>
      {shown ? (
        <ShownOnce
          label={texts.signingSecret(visibleText(shown.url))}
          secret={shown.secret}
          previousUntil={shown.previous_valid_until ?? null}
          close={() => setShown(undefined)}
        />
      ) : null}
      {webhooks.data.data.length === 0 ? (
        <Empty title={texts.noWebhooks} />
      ) : (
        <WebhookList rows={webhooks.data.data} reload={webhooks.reload} show={setShown} />
      )}
      <AddWebhook
        onAdded={(answer) => {
          setShown(answer);
          webhooks.reload();
        }}
      />
    </>
  );
}

interface ListProps {
  readonly rows: readonly Webhook[];
  readonly reload: () => void;
  readonly show: (answer: ShownSecret) => void;
}

function WebhookList({ rows, reload, show }: ListProps) {
  const [asking, setAsking] = useState<{ readonly what: 'roll' | 'delete'; readonly webhook: Webhook }>();
  const { busy, error, run } = useAction();
  const enable = async ({ id }: Webhook, enabled: boolean) => {
    if (await run(() => api(webhookPath(id), { method: 'PUT', json: { enabled } }))) reload();
  };
  const act = async () => {
    if (!asking) return;
    const { id, url } = asking.webhook;
    if (asking.what === 'roll')
      show({ ...(await api<RolledSecret>(webhookPath(id, '/secret'), { method: 'POST' })), url });
    else await api(webhookPath(id), { method: 'DELETE' });
    reload();
  };
  return (
    <>
      {error ? <ErrorNotice error={error} /> : null}
      <Table
        caption={texts.endpoints}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.address,
            cell: ({ id, url }) => <Link to={`/webhooks/${id}`}>{visibleText(url)}</Link>,
          },
          {
            title: texts.state,
            cell: ({ enabled, failing_since, disabled_reason }) => (
              <>
                <Status of={enabled ? (failing_since === null ? 'enabled' : 'failing') : 'disabled'} />
                {disabled_reason === null ? null : <span class="reason">{disabled_reason}</span>}
              </>
            ),
          },
          { title: texts.events, cell: ({ events }) => <EventsOf events={events} /> },
          { title: texts.workspace, cell: ({ workspace_name }) => workspace_name ?? texts.allWorkspaces },
          {
            title: texts.actions,
            cell: (webhook) => (
              <span class="buttons inline">
                <button type="button" disabled={busy} onClick={() => enable(webhook, !webhook.enabled)}>
                  {webhook.enabled ? texts.disable : texts.enable}
                </button>
                <button type="button" onClick={() => setAsking({ what: 'roll', webhook })}>
                  {texts.rollSecret}
                </button>
                <button type="button" onClick={() => setAsking({ what: 'delete', webhook })}>
                  {texts.delete}
                </button>
              </span>
            ),
          },
        ]}
      />
      {asking ? (
        <Confirm
          title={asking.what === 'roll' ? texts.rollTitle(asking.webhook.url) : texts.deleteTitle(asking.webhook.url)}
          action={asking.what === 'roll' ? texts.rollSecret : texts.delete}
          act={act}
          close={() => setAsking(undefined)}
        >
          <p>{asking.what === 'roll' ? texts.rollText : texts.deletesWebhook}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function AddWebhook({ onAdded }: { readonly onAdded: ListProps['show'] }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState(connectorEvents);
  const [workspace, setWorkspace] = useState('');
  const workspaces = useResource((signal) => fetchAll<Workspace>('/api/v1/workspaces', { signal }), []);
  const names = workspaces.state === 'done' ? workspaces.data.map(({ name }) => name) : [];
  const { busy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const workspace_name = workspace !== '' && { workspace_name: workspace };
      const json = { url: url.trim(), events: requestedEvents(events), ...workspace_name };
      onAdded(await api<CreatedWebhook>(webhookPath(), { method: 'POST', json }));
      setUrl('');
    });
  };
  return (
    <form class="panel" onSubmit={submit}>
      <h2>{texts.addWebhook}</h2>
      <TextField label={texts.address} help={texts.addressHelp} type="url" required value={url} change={setUrl} />
      <Choice
        label={texts.workspace}
        value={workspace}
        options={[['', texts.allWorkspaces], ...names.map((name) => [name, name] as const)]}
        choose={setWorkspace}
      />
      <EventChecks chosen={events} choose={setEvents} />
      {error ? <ErrorNotice error={error} /> : null}
      <button type="submit" class="primary" disabled={busy || events.length === 0}>
        {texts.addWebhook}
      </button>
    </form>
  );
}
