type Labels = Readonly<Record<string, string>>;

const escapeLabel = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
const formatLabels = (labels: Labels) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',');

class Counter {
  readonly #values = new Map<string, number>();
  readonly #name: string;
  readonly #help: string;

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, count = 1): void {
    const key = formatLabels(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + count);
  }

  lines(): string[] {
    return [
      `# HELP ${this.#name} ${this.#help}`,
      `# TYPE ${this.#name} counter`,
      ...[...this.#values].map(([labels, value]) => `${this.#name}{${labels}} ${value}`),
    ];
  }
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

class Histogram {
  readonly #series = new Map<string, { readonly buckets: number[]; sum: number; count: number }>();
  readonly #name: string;
  readonly #help: string;

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  observe(labels: Labels, seconds: number): void {
    const key = formatLabels(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = { buckets: bounds.map(() => 0), sum: 0, count: 0 };
      this.#series.set(key, series);
    }
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) series.buckets[bucket]! += 1;
    series.sum += seconds;
    series.count += 1;
  }

  lines(): string[] {
    return [
      `# HELP ${this.#name} ${this.#help}`,
      `# TYPE ${this.#name} histogram`,
      ...[...this.#series].flatMap(([labels, { buckets, sum, count }]) => {
        let cumulative = 0;
        return [
          ...bounds.map((bound, index) => {
            cumulative += buckets[index]!;
            return `${this.#name}_bucket{${labels},le="${bound}"} ${cumulative}`;
          }),
          `${this.#name}_bucket{${labels},le="+Inf"} ${count}`,
          `${this.#name}_sum{${labels}} ${sum}`,
          `${this.#name}_count{${labels}} ${count}`,
        ];
      }),
    ];
  }
}

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
  text(): string;
}

/** Starts counting. */
export function createMetrics(): Metrics {
  const requests = new Counter('agent_connectors_http_requests_total', 'Requests answered.');
  const durations = new Histogram('agent_connectors_http_request_duration_seconds', 'Time to the head of an answer.');
  const executions = new Counter('agent_connectors_executions_total', 'Actions executed, by outcome.');
  const records = new Counter('agent_connectors_replicated_records_total', 'Records of replication, by outcome.');
  const jobs = new Counter('agent_connectors_replication_jobs_total', 'Jobs of replication that ended, by outcome.');
  const replies = new Counter('agent_connectors_vendor_replies_total', 'Replies of vendors, by status.');
  return {
    request({ route, method, status }, seconds) {
      requests.add({ route, method, status: String(status) });
      durations.observe({ route, method }, seconds);
    },
    execution({ type, entity, action, outcome }) {
      executions.add({ connector_type: type, entity, action, outcome });
    },
    vendorReply(type, status) {
      replies.add({ connector_type: type, status: String(status) });
    },
    replication({ type, entity }, counts) {
      for (const [outcome, count] of Object.entries(counts)) {
        if (count > 0) records.add({ connector_type: type, entity, outcome }, count);
      }
    },
    job({ type, outcome }) {
      jobs.add({ connector_type: type, outcome });
    },
    text: () =>
      `${[requests, durations, executions, replies, records, jobs].flatMap((metric) => metric.lines()).join('\n')}\n`,
  };
}
