import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the service counts; no label names a tenant. */
export interface Metrics {
  request(of: { readonly route: string; readonly method: string; readonly status: number }, seconds: number): void;
  execution(of: {
    readonly type: string;
    readonly entity: string;
    readonly action: string;
    readonly outcome: string;
  }): void;
  vendorReply(type: string, status: number): void;
  /** Records that replication wrote, left alone, removed or could not read. */
  replication(of: { readonly type: string; readonly entity: string }, counts: Readonly<Record<string, number>>): void;
  /** A job of replication that has come to its end. */
  job(of: { readonly type: string; readonly outcome: string }): void;
  /** Has these read whenever metrics are. */
  watch(sources: MetricSources): void;
  /** All of it in the text format of Prometheus. */
  text(): Promise<string>;
}

/** What waits in the database: the same for every process that shares it. Ages are in seconds, and 0 where nothing waits. */
export interface Backlog {
  /** Replication jobs by state: `due` and not begun, `scheduled` for later, `running`. */
  readonly jobs: Readonly<Record<'due' | 'scheduled' | 'running', number>>;
  readonly oldestDueJobAge: number;
  readonly webhookDeliveries: number;
  readonly oldestWebhookDeliveryAge: number;
  readonly passages: number;
}

/** Connections of one pool of this process. */
export interface PoolUsage {
  readonly pool: string;
  readonly active: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** Where gauges come from. */
export interface MetricSources {
  backlog(): Promise<Backlog>;
  pools(): readonly PoolUsage[];
}

/** Metrics of the process, whichever of its services is asked; under the names that every Node program has. */
let processRegistry: Registry | undefined;

function processMetrics(): Registry {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
}

/** Starts counting, apart from any other service in the process. */
export function createMetrics(report: (error: unknown) => void = () => {}): Metrics {
  const registry = new Registry();
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `agent_connectors_${name}`, help, labelNames, registers: [registry] });
  const requests = counter('http_requests_total', 'Requests answered.', ['route', 'method', 'status']);
  const durations = new Histogram({
    name: 'agent_connectors_http_request_duration_seconds',
    help: 'Time to the head of an answer.',
    labelNames: ['route', 'method'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    registers: [registry],
  });
  const ofAction = ['connector_type', 'entity', 'action', 'outcome'] as const;
  const executions = counter('executions_total', 'Actions executed, by outcome.', ofAction);
  const replies = counter('vendor_replies_total', 'Replies of vendors, by status.', ['connector_type', 'status']);
  const records = counter('replicated_records_total', 'Records of replication, by outcome.', [
    'connector_type',
    'entity',
    'outcome',
  ]);
  const jobs = counter('replication_jobs_total', 'Jobs of replication that ended, by outcome.', [
    'connector_type',
    'outcome',
  ]);
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `agent_connectors_${name}`, help, labelNames, registers: [registry] });
  const [waits, ages] = ['Take the maximum over processes that share a database.', 'seconds; 0 if none is due'];
  const jobsNow = gauge('replication_queue_jobs', `Replication jobs by state. ${waits}`, ['state']);
  const jobAge = gauge(
    'replication_oldest_due_seconds',
    `Age of the replication job that is due longest, ${ages}. ${waits}`,
  );
  const deliveries = gauge('webhook_deliveries_pending', `Webhook deliveries that wait to be sent. ${waits}`);
  const deliveryAge = gauge(
    'webhook_oldest_due_seconds',
    `Age of the webhook delivery that is due longest, ${ages}. ${waits}`,
  );
  const passages = gauge('embedding_passages_pending', `Passages without a vector of the current embedder. ${waits}`);
  const connections = gauge('database_connections', 'Connections to Postgres of this process.', ['pool', 'state']);
  const requestsWaiting = gauge('database_requests_waiting', 'Statements that wait for a connection.', ['pool']);
  let sources: MetricSources | undefined;
  const backlogGauges = [jobAge, deliveries, deliveryAge, passages];

  const showBacklog = (backlog: Backlog) => {
    for (const [state, count] of Object.entries(backlog.jobs)) jobsNow.set({ state }, count);
    jobAge.set(backlog.oldestDueJobAge);
    deliveries.set(backlog.webhookDeliveries);
    deliveryAge.set(backlog.oldestWebhookDeliveryAge);
    passages.set(backlog.passages);
  };
  const readGauges = async () => {
    // Without a value rather than with an old one, where the database does not answer.
    jobsNow.reset();
    for (const one of backlogGauges) one.remove();
    await sources?.backlog().then(showBacklog, report);
    connections.reset();
    requestsWaiting.reset();
    for (const { pool, active, idle, waiting } of sources?.pools() ?? []) {
      connections.inc({ pool, state: 'active' }, active);
      connections.inc({ pool, state: 'idle' }, idle);
      requestsWaiting.inc({ pool }, waiting);
    }
  };
  return {
    request({ route, method, status }, seconds) {
      requests.inc({ route, method, status });
      durations.observe({ route, method }, seconds);
    },
    execution({ type, entity, action, outcome }) {
      executions.inc({ connector_type: type, entity, action, outcome });
    },
    vendorReply(type, status) {
      replies.inc({ connector_type: type, status });
    },
    replication({ type, entity }, counts) {
      for (const [outcome, count] of Object.entries(counts)) {
        if (count > 0) records.inc({ connector_type: type, entity, outcome }, count);
      }
    },
    job({ type, outcome }) {
      jobs.inc({ connector_type: type, outcome });
    },
    watch(given) {
      sources = given;
    },
    async text() {
      await readGauges();
      return (await registry.metrics()) + (await processMetrics().metrics());
    },
  };
}
