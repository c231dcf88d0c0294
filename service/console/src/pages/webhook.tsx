import type { Page, Webhook, WebhookDelivery } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { Dialog, DialogButtons } from '../components/dialog.js';
import { Empty, ErrorNotice, Unloaded } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { connectorEvents, EventChecks, EventsOf, requestedEvents } from '../components/webhook-events.js';
import { api } from '../data/api.js';
import { useAction } from '../data/use-action.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { Link, usePages, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

/** The API path for all webhooks or a single one. */
export const webhookPath = (id?: string, rest = ''): string =>
  `/api/v1/webhooks${id === undefined ? '' : `/${encodeURIComponent(id)}`}${rest}`;

interface WebhookPageProps {
  readonly webhook: Webhook;
  readonly reload: () => void;
}

/** Deliveries to an endpoint, with their outcomes. */
export function WebhookPage({ webhook, reload }: WebhookPageProps) {
  const { connectors = [] } = useConsole().feed;
  const [cursors, setCursors] = usePages();
  useTitle(webhook.url, texts.webhooks);
  const cursor = cursors.at(-1);
  const deliveries = useResource(
    (signal) => {
      const query = new URLSearchParams({ limit: '50', ...(cursor !== undefined && { cursor }) });
      return api<Page<WebhookDelivery>>(webhookPath(webhook.id, `/deliveries?${query}`), { signal });
    },
    [webhook.id, cursor],
  );
  const [changing, setChanging] = useState(false);
  const { busy, error, run } = useAction();
  const send = async (rest: string) => {
    await run(() => api(webhookPath(webhook.id, rest), { method: 'POST' }));
    deliveries.reload();
    reload();
  };
  const nameOf = (id: string | null) =>
    id === null ? '–' : visibleText(connectors.find((each) => each.id === id)?.name ?? texts.deletedConnector);
  return (
    <>
      <p class="crumbs">
        <Link to="/webhooks">{texts.webhooks}</Link>
      </p>
      <h1>{visibleText(webhook.url)}</h1>
      <p class="quiet">
        <EventsOf events={webhook.events} />
      </p>
      <div class="buttons">
        <button type="button" disabled={busy || !webhook.enabled} onClick={() => send('/test')}>
          {texts.sendTest}
        </button>
        <button type="button" onClick={deliveries.reload}>
          {texts.refresh}
        </button>
        <button type="button" onClick={() => setChanging(true)}>
          {texts.changeEvents}
        </button>
      </div>
      {changing ? <Events webhook={webhook} reload={reload} close={() => setChanging(false)} /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      <Unloaded resource={deliveries} />
      {deliveries.state === 'done' && deliveries.data.data.length === 0 ? <Empty title={texts.noDeliveries} /> : null}
      {deliveries.state === 'done' && deliveries.data.data.length > 0 ? (
        <>
          <Table
            caption={texts.deliveries}
            rows={deliveries.data.data}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.when, cell: ({ created_at }) => <Time at={created_at} /> },
              { title: texts.event, cell: ({ event }) => <code>{event}</code> },
              { title: texts.connector, cell: ({ connector_id }) => nameOf(connector_id) },
              {
                title: texts.state,
                cell: ({ status, error: reason, response_status, next_attempt_at }) => (
                  <>
                    <Status of={status} />
                    {reason === null && response_status === null ? null : (
                      <span class="reason">{visibleText(reason ?? `HTTP ${response_status}`)}</span>
                    )}
                    {next_attempt_at === null || status !== 'pending' ? null : (
                      <span class="reason">
                        {texts.nextAttempt} <Time at={next_attempt_at} />
                      </span>
                    )}
                  </>
                ),
              },
              { title: texts.attempts, numeric: true, cell: ({ attempts }) => String(attempts) },
              {
                title: texts.actions,
                cell: ({ id, status, event }) =>
                  status === 'delivered' || status === 'failed' ? (
                    <button
                      type="button"
                      disabled={busy}
                      aria-label={texts.replayOf(event)}
                      onClick={() => send(`/deliveries/${encodeURIComponent(id)}/replay`)}
                    >
                      {texts.replay}
                    </button>
                  ) : null,
              },
            ]}
          />
          <Pager cursors={cursors} next={deliveries.data.next} choose={setCursors} />
        </>
      ) : null}
    </>
  );
}

interface EventsProps extends WebhookPageProps {
  readonly close: () => void;
}

/** Changes the events that an endpoint gets. */
function Events({ webhook, reload, close }: EventsProps) {
  const [events, setEvents] = useState(webhook.events ?? connectorEvents);
  const { busy, error, run } = useAction();
  const save = async (event: Event) => {
    event.preventDefault();
    const json = { events: requestedEvents(events) };
    if (!(await run(() => api(webhookPath(webhook.id), { method: 'PUT', json })))) return;
    reload();
    close();
  };
  return (
    <Dialog title={texts.changeEvents} close={close}>
      <form onSubmit={save}>
        <EventChecks chosen={events} choose={setEvents} />
        {error ? <ErrorNotice error={error} /> : null}
        <DialogButtons submit={texts.save} disabled={busy || events.length === 0} close={close} />
      </form>
    </Dialog>
  );
}
