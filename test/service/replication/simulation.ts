import type { State } from 'agent-connectors-service';
import { openState } from '../../../service/src/data/state/open.js';
import { openSqlite } from '../../../service/src/data/state/sqlite.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import {
  nextSyncAt,
  openScheduler,
  type RunJob,
  retryLater,
} from '../../../service/src/domain/replication/scheduler.js';
import { newKey } from '../keys.js';

const second = 1000;
const minute = 60 * second;
const types = ['linear', 'gong', 'granola', 'google-drive'];

/** An organization with connectors of every type, in rotation. */
export interface Tenant {
  readonly name: string;
  readonly connectors: number;
  readonly intervalMs: number;
  /** Duration of the shortest sync; the longest takes four times as long. */
  readonly syncMs: number;
}

/** What to simulate, in virtual time starting at 0. */
export interface Simulation {
  readonly tenants: readonly Tenant[];
  readonly durationMs: number;
  readonly workers: number;
  /** A vendor whose requests hang until they time out. */
  readonly sick?: { readonly type: string; readonly fromMs: number; readonly toMs: number };
}

/** Milliseconds between when syncs were due and when they started. */
export interface Lateness {
  readonly syncs: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Two attempts that time out after a minute each. */
const timeoutMs = 2 * minute;

/** A virtual clock that jumps to the next event. */
class VirtualTime {
  now = Date.UTC(2026, 0, 1);
  readonly start = this.now;
  /** By time, in order of arrival. */
  readonly #events = new Map<number, (() => void)[]>();
  readonly #times: number[] = [];

  at(time: number, work: () => void): void {
    const known = this.#events.get(time);
    if (known) known.push(work);
    else {
      this.#events.set(time, [work]);
      let index = this.#times.length;
      while (index > 0 && this.#times[index - 1]! < time) index--;
      this.#times.splice(index, 0, time);
    }
  }

  sleep = (ms: number) => new Promise<void>((resolve) => this.at(this.now + Math.ceil(ms), resolve));

  every = (ms: number, work: () => void) => {
    let ended = false;
    const next = () =>
      this.at(this.now + ms, () => {
        if (ended) return;
        work();
        next();
      });
    next();
    return () => {
      ended = true;
    };
  };

  async run(durationMs: number): Promise<void> {
    for (;;) {
      const time = this.#times.pop();
      if (time === undefined || time > this.start + durationMs) return;
      this.now = time;
      const due = this.#events.get(time)!;
      this.#events.delete(time);
      for (const work of due) work();
      // SQLite calls return synchronously, so all consequences of an event, including workers looking for jobs, are
      // done after the second turn of the event loop.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Pseudorandom numbers from 0 to 1 with a fixed seed. */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

async function populate(state: State, tenants: readonly Tenant[]) {
  const owners = new Map<string, Tenant & { readonly type: string }>();
  for (const tenant of tenants) {
    const { id: organizationId } = await state.organizations.create(tenant.name);
    const { id: workspaceId } = await state.workspaces.create(organizationId, 'default');
    for (let index = 0; index < tenant.connectors; index++) {
      const type = types[(owners.size + index) % types.length]!;
      const { id } = await state.connectors.create(
        { organizationId },
        {
          workspaceId,
          name: `${index}`,
          type,
          replicationConfig: null,
          settings: {},
          credentials: { api_key: `${tenant.name} ${type}` },
        },
      );
      owners.set(id, { ...tenant, type });
    }
  }
  return owners;
}

const latenessOf = (values: readonly number[]): Lateness => {
  const sorted = [...values].sort((one, other) => one - other);
  const quantile = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { syncs: sorted.length, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
};

/** Runs the schedulers of several workers on shared state, and measures how late the syncs of healthy vendors start. */
export async function simulate({ tenants, durationMs, workers, sick }: Simulation) {
  const time = new VirtualTime();
  const now = () => time.now;
  const database = openSqlite(':memory:', now);
  const state = await openState({ folder: ':memory:', database, keys: keyRing([newKey()]), now });
  const owners = await populate(state, tenants);
  const random = randomNumbers();
  const due = new Map([...owners.keys()].map((id) => [id, time.now]));
  const late = new Map<string, number[]>(tenants.map(({ name }) => [name, []]));
  /** Number of syncs started in each second. */
  const starts = new Map<number, number>();
  let sickTime = 0;
  const failures: unknown[] = [];

  const run: RunJob = async (claim) => {
    const { row } = claim;
    const { name, syncMs, intervalMs } = owners.get(row.id)!;
    const elapsed = time.now - time.start;
    const isSick = sick && row.type === sick.type && elapsed >= sick.fromMs && elapsed < sick.toMs;
    if (isSick) {
      sickTime += timeoutMs;
      await time.sleep(timeoutMs);
      const failure = { error: 'timeout', nextSyncAt: nextSyncAt(row, intervalMs, time.now) };
      const end = retryLater(claim, time.now, failure);
      due.delete(row.id);
      if (end.status !== 'queued') due.set(row.id, end.nextSyncAt);
      return { end, vendor: 'failed' };
    }
    const dueAt = due.get(row.id);
    if (dueAt !== undefined && row.type !== sick?.type) {
      late.get(name)!.push(time.now - dueAt);
      const at = Math.floor(elapsed / second);
      starts.set(at, (starts.get(at) ?? 0) + 1);
    }
    await time.sleep(syncMs * (1 + 3 * random()));
    const end = { status: 'done', error: null, nextSyncAt: nextSyncAt(row, intervalMs, time.now) } as const;
    due.set(row.id, end.nextSyncAt);
    return { end, vendor: 'ok' };
  };
  const report = (error: unknown) => failures.push(error);
  const schedulers = Array.from({ length: workers }, () =>
    openScheduler({
      jobs: state.jobs,
      backoffs: state.backoffs,
      now,
      run,
      report,
      every: time.every,
      credentialOf: async ({ organizationId, type }) => `${organizationId} ${type}`,
      onEnd: () => {},
    }),
  );
  for (const scheduler of schedulers) scheduler.start(types);
  await time.run(durationMs);
  // Syncs that have not started are late too.
  for (const [id, dueAt] of due) {
    const { name, type } = owners.get(id)!;
    if (dueAt < time.now && type !== sick?.type) late.get(name)!.push(time.now - dueAt);
  }
  await database.close();
  const slotTime = workers * 4 * durationMs;
  return {
    failures,
    lateness: new Map([...late].map(([name, values]) => [name, latenessOf(values)])),
    /** Share of all slot time used by syncs of the failing vendor. */
    sickShare: sickTime / slotTime,
    starts,
  };
}

/** One hostile organization with many slow connectors that are always due, and others of various sizes. */
export function unevenTenants(organizations: number, connectors: number): Tenant[] {
  const hostile = {
    name: 'hostile',
    connectors: Math.round(connectors * 0.4),
    intervalMs: minute,
    syncMs: 30 * second,
  };
  const honest = organizations - 1;
  const weights = Array.from({ length: honest }, (_, index) => 1 / (index + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const spare = connectors - hostile.connectors - honest;
  return [
    hostile,
    ...weights.map((weight, index) => ({
      name: `honest ${index + 1}`,
      connectors: 1 + Math.floor((weight / sum) * spare),
      intervalMs: (3 + (index % 3)) * minute,
      syncMs: second / 2,
    })),
  ];
}
