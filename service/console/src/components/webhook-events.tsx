import type { Webhook, WebhookEventType } from 'agent-connectors/wire';
import { texts } from '../texts/index.js';
import { Checks } from './checks.js';

/** What an endpoint gets unless it names its events. */
export const connectorEvents: readonly WebhookEventType[] = [
  'connector.connected',
  'connector.needs_reauthorization',
  'connector.failing',
  'connector.recovered',
  'connector.synced',
  'connector.removed',
];
/** What an endpoint gets only if it names them. */
const recordEvents: readonly WebhookEventType[] = ['record.created', 'record.updated', 'record.deleted'];

interface EventChecksProps {
  readonly chosen: readonly WebhookEventType[];
  readonly choose: (events: readonly WebhookEventType[]) => void;
}

/** Checkboxes for the events of an endpoint. */
export const EventChecks = ({ chosen, choose }: EventChecksProps) => {
  const part = (names: readonly WebhookEventType[]) => names.filter((name) => chosen.includes(name));
  return (
    <>
      <Checks
        legend={texts.connectorEvents}
        names={connectorEvents}
        chosen={part(connectorEvents)}
        choose={(names) => choose([...names, ...part(recordEvents)])}
      />
      <Checks
        legend={texts.recordEvents}
        help={texts.recordEventsHelp}
        names={recordEvents}
        chosen={part(recordEvents)}
        choose={(names) => choose([...part(connectorEvents), ...names])}
      />
    </>
  );
};

/** The events of a request: null for the default ones, which may become more. */
export const requestedEvents = (chosen: readonly WebhookEventType[]): Webhook['events'] =>
  chosen.length === connectorEvents.length && connectorEvents.every((name) => chosen.includes(name))
    ? null
    : [...chosen];

/** The events of an endpoint, in a few words. */
export const EventsOf = ({ events }: Pick<Webhook, 'events'>) =>
  events === null ? (
    texts.allConnectorEvents
  ) : (
    <span title={events.join(', ')}>
      {events.length > 2
        ? texts.eventCount(events.length, connectorEvents.length + recordEvents.length)
        : events.join(', ')}
    </span>
  );
