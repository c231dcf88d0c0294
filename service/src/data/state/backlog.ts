import { type Database, eachAcrossOrganizations } from './database.js';
import { dueConnectors } from './jobs.js';
import { isOpenJob } from './tables.js';
import type { State } from './types.js';

const seconds = (ms: unknown): number => Math.max(0, Number(ms ?? 0)) / 1000;

/** Counts pending work in the database. */
export const openBacklog = (database: Database): Pick<State, 'backlog'> =>
  eachAcrossOrganizations<Pick<State, 'backlog'>>({
    async backlog(types) {
      const { query, now } = database;
      const jobs = await query
        .with('open_jobs', (db) =>
          db
            .selectFrom('jobs')
            .select(({ eb }) => [
              'status',
              eb
                .case()
                // A job whose process died is waiting for another process.
                .when('status', '=', 'running')
                .then(eb.ref('lease_until'))
                .when('next_attempt_at', '>', eb.ref('created_at'))
                .then(eb.ref('next_attempt_at'))
                .else(eb.ref('created_at'))
                .end()
                .as('due_at'),
            ])
            .where(isOpenJob),
        )
        .selectFrom('open_jobs')
        .select(({ fn, eb }) => [
          fn.countAll<number>().filterWhere('due_at', '<=', now).as('due'),
          fn.countAll<number>().filterWhere('due_at', '>', now).filterWhere('status', '=', 'queued').as('scheduled'),
          fn.countAll<number>().filterWhere('due_at', '>', now).filterWhere('status', '=', 'running').as('running'),
          eb(now, '-', fn.min('due_at')).as('age'),
        ])
        .executeTakeFirstOrThrow();
      const connectors = await query
        .selectFrom(dueConnectors(database, types).as('due'))
        .select(({ fn, eb }) => [
          fn.countAll<number>().as('due'),
          // A connector that has never synced has a `sync_at` of 0.
          eb(now, '-', fn.min('sync_at').filterWhere('sync_at', '>', 0)).as('age'),
        ])
        .executeTakeFirstOrThrow();
      const deliveries = await query
        .selectFrom('webhook_deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
        .where('webhook_deliveries.status', 'in', ['pending', 'waiting'])
        .where('webhooks.disabled', 'is', null)
        .select(({ fn, eb }) => [
          fn.countAll<number>().as('pending'),
          eb(
            now,
            '-',
            fn
              .min<number>(
                eb
                  .case()
                  .when('next_attempt_at', '>', eb.ref('webhook_deliveries.created_at'))
                  .then(eb.ref('next_attempt_at'))
                  .else(eb.ref('webhook_deliveries.created_at'))
                  .end(),
              )
              .filterWhere('status', '=', 'pending'),
          ).as('age'),
        ])
        .executeTakeFirstOrThrow();
      return {
        jobs: {
          due: Number(jobs.due) + Number(connectors.due),
          scheduled: Number(jobs.scheduled),
          running: Number(jobs.running),
        },
        oldestDueJobAge: Math.max(seconds(jobs.age), seconds(connectors.age)),
        webhookDeliveries: Number(deliveries.pending),
        oldestWebhookDeliveryAge: seconds(deliveries.age),
      };
    },
  });
