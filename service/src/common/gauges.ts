import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/**
 * Pending work in the database, identical for every process that shares it. Ages are in seconds, or 0 if nothing is
 * pending.
 */
export interface Backlog {
  /** Replication jobs by state: `due` but not started, `scheduled` for later, or `running`. */
  readonly jobs: Readonly<Record<'due' | 'scheduled' | 'running', number>>;
  readonly oldestDueJobAge: number;
  readonly webhookDeliveries: number;
  readonly oldestWebhookDeliveryAge: number;
  readonly passages: number;
}

/** Connections in one of this process's pools. */
export interface PoolUsage {
  readonly pool: string;
  readonly active: number;
  readonly idle: number;
  /** Statements waiting for a connection. */
  readonly waiting: number;
}

/** Sources of the gauges. */
export interface MetricSources {
  backlog(): Promise<Backlog>;
  pools(): readonly PoolUsage[];
  /** Nodes of a cluster that store records; undefined without a cluster. */
  nodes(): Promise<{ readonly available: number; readonly total: number } | undefined>;
}

/** Process-wide metrics, shared by all services in the process, with the usual Node metric names. */
let processRegistry: Registry | undefined;

function processMetrics(): Registry {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
}

/** Gauges measured each time metrics are served. */
export interface Gauges {
  /** Adds these sources. */
  watch(sources: MetricSources): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** Adds gauges to a service's metrics. */
export function openGauges(registry: Registry, report: (error: unknown) => void = () => {}): Gauges {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `agent_connectors_${name}`, help, labelNames, registers: [registry] });
  const [waits, ages] = [
    'Processes that share a database report the same value, so aggregate with max.',
    'in seconds; 0 if none is due',
  ];
  const jobsNow = gauge('replication_queue_jobs', `Replication jobs by state. ${waits}`, ['state']);
  const jobAge = gauge('replication_oldest_due_seconds', `Age of the most overdue replication job, ${ages}. ${waits}`);
  const deliveries = gauge('webhook_deliveries_pending', `Webhook deliveries waiting to be sent. ${waits}`);
  const deliveryAge = gauge(
    'webhook_oldest_due_seconds',
    `Age of the most overdue webhook delivery, ${ages}. ${waits}`,
  );
  const passages = gauge('embedding_passages_pending', `Passages without a vector from the current embedder. ${waits}`);
  const connections = gauge('database_connections', 'Postgres connections in this process.', ['pool', 'state']);
  const requestsWaiting = gauge('database_requests_waiting', 'Statements waiting for a connection.', ['pool']);
  const nodes = gauge(
    'record_nodes',
    `Nodes of a Citus cluster that store records, by state: available or down. ${waits}`,
    ['state'],
  );
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
    // If the database does not respond, report no value rather than an old one.
    jobsNow.reset();
    for (const one of backlogGauges) one.remove();
    await sources?.backlog().then(showBacklog, report);
    nodes.reset();
    const counts = await sources?.nodes().catch(report);
    if (counts) {
      nodes.set({ state: 'available' }, counts.available);
      nodes.set({ state: 'down' }, counts.total - counts.available);
    }
    connections.reset();
    requestsWaiting.reset();
    for (const { pool, active, idle, waiting } of sources?.pools() ?? []) {
      connections.inc({ pool, state: 'active' }, active);
      connections.inc({ pool, state: 'idle' }, idle);
      requestsWaiting.inc({ pool }, waiting);
    }
  };
  return {
    watch(given) {
      sources = given;
    },
    async text() {
      await readGauges();
      return (await registry.metrics()) + (await processMetrics().metrics());
    },
  };
}
