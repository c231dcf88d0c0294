import { ConnectorError } from 'agent-connectors';
import { Webhook } from 'standardwebhooks';
import type { State } from '../../data/state/types.js';
import type { DeliveryClaim, DeliveryOutcome } from '../../data/state/webhooks/types.js';
import { VERSION } from '../../version.js';
import { recordChange } from '../audit/record-audit.js';

/** Dependencies of the dispatcher. */
export interface DispatcherDependencies {
  readonly state: Pick<State, 'webhooks' | 'audit'>;
  /** The guarded fetch, which checks the address on each attempt. */
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly report: (error: unknown, requestId: string) => void;
}

/** Sends messages from the outbox, together with other processes that use the same data. */
export interface Dispatcher {
  /** Looks for messages now instead of at the next poll. */
  wake(): void;
  /** Cancels deliveries in progress; another process, or this one after a restart, sends them again. */
  close(): Promise<void>;
}

const pollIntervalMs = 1_000;
/** Maximum number of concurrent deliveries. */
const maxConcurrentDeliveries = 16;
/** Maximum number of concurrent deliveries per organization, so that no organization can block the others. */
const maxDeliveriesOfOrganization = 12;
/** Response timeout of an endpoint, in milliseconds. */
const deliveryTimeoutMs = 15_000;
/** Delay after each failed attempt in milliseconds; the last one repeats. */
const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000];
/** How long a message is retried, and how long an endpoint may fail before it is disabled, in milliseconds. */
const retryWindowMs = 259_200_000;

export function openDispatcher(dependencies: DispatcherDependencies): Dispatcher {
  const { state, report } = dependencies;
  const stop = new AbortController();
  const running = new Map<Promise<void>, string>();
  let polling: Promise<void> | undefined;
  let pollRequested = false;

  const start = (claim: DeliveryClaim) => {
    const sending = deliver(claim, dependencies, stop.signal)
      .catch((error) => report(error, 'webhooks'))
      .finally(() => {
        running.delete(sending);
        wake();
      });
    running.set(sending, claim.organizationId);
  };
  /** Organizations that have reached their limit, and the remaining capacity for the busiest of the others. */
  const shares = () => {
    const counts = new Map<string, number>();
    for (const organization of running.values()) counts.set(organization, (counts.get(organization) ?? 0) + 1);
    const full = [...counts].flatMap(([id, count]) => (count >= maxDeliveriesOfOrganization ? id : []));
    for (const id of full) counts.delete(id);
    return { full, room: maxDeliveriesOfOrganization - Math.max(0, ...counts.values()) };
  };
  const claimDue = async (): Promise<void> => {
    while (pollRequested && !stop.signal.aborted) {
      pollRequested = false;
      const { full, room } = shares();
      // All messages in one claim may belong to the same organization.
      const free = Math.min(maxConcurrentDeliveries - running.size, room);
      if (free <= 0) return;
      const claims = await state.webhooks.claim(free, full);
      for (const claim of claims) start(claim);
      if (claims.length === free) pollRequested = true;
    }
  };
  const poll = (): void => {
    pollRequested = true;
    polling ??= claimDue()
      .catch((error) => report(error, 'webhooks'))
      .finally(() => {
        polling = undefined;
      });
  };
  const wake = () => {
    if (!stop.signal.aborted) setImmediate(poll);
  };
  const timer = setInterval(poll, pollIntervalMs);
  timer.unref();
  return {
    wake,
    async close() {
      clearInterval(timer);
      stop.abort();
      await polling;
      await Promise.all(running.keys());
    },
  };
}

async function deliver(
  claim: DeliveryClaim,
  { state, fetch, now }: DispatcherDependencies,
  stop: AbortSignal,
): Promise<void> {
  const attempt = await send(claim, fetch, now(), stop);
  // Delivery status is unknown. The lease expires and the message is sent again.
  if (stop.aborted && attempt.error !== null) return;
  const outcome = outcomeOf(claim, attempt, now());
  const isHeld = await state.webhooks.finish(claim, outcome);
  if (!isHeld || outcome.disable === undefined) return;
  const { organizationId, delivery } = claim;
  recordChange(state.audit, { event: 'webhook.disabled', organizationId, subject: delivery.webhookId });
}

type Attempt = Pick<DeliveryOutcome, 'responseStatus' | 'error'>;

async function send(
  claim: DeliveryClaim,
  fetch: typeof globalThis.fetch,
  now: number,
  stop: AbortSignal,
): Promise<Attempt> {
  const { delivery, payload, url, secrets } = claim;
  if (secrets.length === 0) {
    return { responseStatus: null, error: 'The webhook secret cannot be decrypted. Rotate the secret.' };
  }
  const at = new Date(now);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(delivery.id, at, payload));
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(deliveryTimeoutMs)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': `agent-connectors-service/${VERSION}`,
        'webhook-id': delivery.id,
        'webhook-timestamp': String(Math.floor(now / 1000)),
        'webhook-signature': signatures.join(' '),
      },
    });
    // Response bodies are neither read nor stored.
    await response.body?.cancel().catch(() => {});
    const { status } = response;
    return {
      responseStatus: status,
      error: status >= 200 && status < 300 ? null : `The endpoint responded with ${status}.`,
    };
  } catch (error) {
    return { responseStatus: null, error: reasonOf(error) };
  }
}

/** The reason for a missing response, without quoting external text. */
function reasonOf(error: unknown): string {
  if (ConnectorError.is(error)) return error.message;
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: { readonly code?: unknown } };
  if (name === 'TimeoutError') return `The endpoint did not respond within ${deliveryTimeoutMs / 1000} s.`;
  const code = typeof cause?.code === 'string' ? ` (${cause.code.slice(0, 50)})` : '';
  return `The endpoint could not be reached${code}.`;
}

function outcomeOf(claim: DeliveryClaim, attempt: Attempt, now: number): DeliveryOutcome {
  const { delivery, firstAttemptAt, failingSince } = claim;
  if (attempt.error === null) return { ...attempt, retryInMs: null };
  if (attempt.responseStatus === 410) {
    return { ...attempt, retryInMs: null, disable: 'The endpoint responded with 410 Gone.' };
  }
  if (failingSince !== null && now - failingSince >= retryWindowMs) {
    return { ...attempt, retryInMs: null, disable: 'All deliveries have failed for three days.' };
  }
  if (now - firstAttemptAt >= retryWindowMs) return { ...attempt, retryInMs: null };
  const delay = retryDelaysMs[Math.min(delivery.attempts, retryDelaysMs.length) - 1]!;
  // Jitter, so that messages that failed together are not retried together.
  return { ...attempt, retryInMs: delay * (0.9 + Math.random() * 0.2) };
}
