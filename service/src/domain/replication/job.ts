import { type CommonOptions, ConnectorError } from 'agent-connectors';
import { replicationCalls } from 'agent-connectors/replication';
import { textsOf } from '../../data/search/passages/cut.js';
import type { Claim, JobEnd } from '../../data/state/replication-types.js';
import { emptied, replicateEntity } from './entity.js';
import { Deferred, faultOf, Stopped } from './faults.js';
import { intervalOf, Progress, planOf } from './plan.js';
import type { Job, JobParts } from './types.js';

/** How often a job is tried in all where failures may pass. */
const mostTries = 5;
const firstWaitMs = 30_000;

/** Carries out a job until it is done, has to be given back, or is no longer this process's. */
export async function carryOut(claim: Claim, parts: JobParts, signal: AbortSignal): Promise<JobEnd | undefined> {
  const nextSyncAt = () => parts.now() + intervalOf(claim.row);
  try {
    const job = await prepared(claim, parts, signal);
    if (!job) return { status: 'cancelled', error: 'There is nothing to replicate.', nextSyncAt: nextSyncAt() };
    await removeOthers(job);
    return ended(job, await replicateAll(job), nextSyncAt());
  } catch (error) {
    if (error instanceof Stopped || signal.aborted) {
      return { status: 'queued', error: null, notBefore: 0, failed: false };
    }
    if (error instanceof Deferred) {
      return { status: 'queued', error: error.message, notBefore: parts.now() + error.waitMs, failed: false };
    }
    parts.report(error, claim.job.id);
    return again(claim, parts.now(), faultOf(error).message, nextSyncAt());
  }
}

async function prepared(claim: Claim, parts: JobParts, signal: AbortSignal): Promise<Job | undefined> {
  const { row, job } = claim;
  const definition = await parts.definitions.of(row.type);
  const replication = await definition.replication();
  const plan = replication && planOf(row, definition, replication);
  if (!plan || plan.entities.length === 0) return undefined;
  const { manifest } = definition;
  const options = { ...(await parts.instances.optionsOf(row)), ...row.settings } as CommonOptions;
  const wanted = plan.entities.filter((entity) => job.wanted?.includes(entity) ?? true);
  const progress = new Progress(wanted, job.entities);
  const check = async () => {
    if (signal.aborted || !(await parts.state.jobs.hold(claim))) throw new Stopped();
  };
  return {
    ...{ claim, parts, plan, replication, progress, signal, check, shared: new Map() },
    calls: replicationCalls(manifest, replication, options),
    collection: (entity) => ({ connectorId: row.id, type: row.type, entity }),
    texts: (entity) =>
      textsOf(replication.entities[entity]!, Object.keys(manifest.entities[entity]?.search?.semantic ?? {})),
    async save(entity, changes) {
      const held = await parts.state.jobs.checkpoint(claim, progress.entities, { entity, changes });
      if (!held) throw new Stopped();
    },
  };
}

/** Takes away what was replicated of entities that the configuration no longer names. */
async function removeOthers(job: Job): Promise<void> {
  const { claim, parts, plan } = job;
  for (const { entity } of await parts.state.replicas.list(claim.row.id)) {
    if (plan.entities.includes(entity)) continue;
    await emptied(job, entity);
    await job.save(entity, null);
  }
}

/** What came of the entities: whether all were done, and what is worth another try. */
interface Outcome {
  readonly failed: readonly string[];
  readonly passing: boolean;
}

async function replicateAll(job: Job): Promise<Outcome> {
  const failed: string[] = [];
  let passing = false;
  for (const { entity, status } of job.progress.entities) {
    if (status === 'done') continue;
    try {
      await replicateEntity(job, entity);
    } catch (error) {
      if (error instanceof Stopped || error instanceof Deferred || job.signal.aborted) throw error;
      if (!ConnectorError.is(error)) job.parts.report(error, job.claim.job.id);
      const fault = faultOf(error);
      failed.push(entity);
      passing ||= fault.passing;
      job.progress.set(entity, { status: 'failed', error: fault.message });
      await job.save(entity, { status: 'failed', error: fault.message });
    }
  }
  return { failed, passing };
}

function ended({ claim, parts }: Job, { failed, passing }: Outcome, nextSyncAt: number): JobEnd {
  if (failed.length === 0) return { status: 'done', error: null, nextSyncAt };
  const message = `Not everything could be replicated: ${failed.join(', ')}.`;
  return passing ? again(claim, parts.now(), message, nextSyncAt) : { status: 'failed', error: message, nextSyncAt };
}

/** Another try after a wait, each longer than the one before; after the last the job has failed. */
function again({ job }: Claim, now: number, error: string, nextSyncAt: number): JobEnd {
  if (job.attempts + 1 >= mostTries) return { status: 'failed', error, nextSyncAt };
  return { status: 'queued', error, notBefore: now + firstWaitMs * 2 ** job.attempts, failed: true };
}
