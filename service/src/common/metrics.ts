import { Counter, Histogram, Registry } from 'prom-client';

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

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
  /** All of it in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Starts counting, apart from any other service in the process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `agent_connectors_${name}`, help, labelNames, registers: [registry] });
  const requests = counter('http_requests_total', 'Requests answered.', ['route', 'method', 'status']);
  const durations = new Histogram({
    name: 'agent_connectors_http_request_duration_seconds',
    help: 'Time to the head of an answer.',
    labelNames: ['route', 'method'],
    buckets: bounds,
    registers: [registry],
  });
  const executions = counter('executions_total', 'Actions executed, by outcome.', [
    'connector_type',
    'entity',
    'action',
    'outcome',
  ]);
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
    text: () => registry.metrics(),
  };
}
