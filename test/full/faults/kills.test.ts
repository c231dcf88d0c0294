import { serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { createService } from 'agent-connectors-service';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Direction, FaultyProxy } from '../../service/faults/faulty-proxy.js';
import { credentialsIn, newSandbox, post } from '../../service/faults/rig.js';
import { type Write, writes } from '../../service/faults/writes.js';
import { connectorPath, type Tenant, tenantOf } from '../../service/http/setup.js';
import { newKey } from '../../service/keys.js';
import { serviceProcesses } from '../../service/replication/children.js';
import { newFolder } from '../../service/state/fixtures.js';
import { startServer } from '../postgres/server.js';

const postgres = await startServer({ plain: true });
afterAll(() => postgres?.stop());

const start = serviceProcesses();
/** Duration of silence after which a process is considered dead. */
const silenceMs = 16_000;

const tried = writes.filter(({ type }) => type === 'linear');
/** Kills per write, at points determined by the seed. */
const points = Number(process.env.KILLS ?? 8);
/** Another seed kills at other points, so that many kills can be run in parts. */
const seed = Number(process.env.KILL_SEED ?? 20_261_121);

/** A new token. The clock moves ahead with every kill, so one token would expire. */
async function tokenOf(url: string, { clientId, clientSecret }: Tenant): Promise<string> {
  const response = await fetch(`${url}/api/v1/account/applications/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

describe.each([
  ['SQLite', true, undefined],
  ['Postgres', postgres !== undefined, () => postgres!.database()],
])('with its state in %s', (engine, installed, newDatabase) => {
  test.skipIf(!installed).each(tried.map((write) => [write.name, write] as const))(
    '%s is executed once even if the service is killed while running it',
    async (name, write: Write) => {
      const vendors = await serveSandbox({ sandbox: newSandbox() });
      onTestFinished(() => vendors.close());
      const { sandbox } = vendors;
      const far = await FaultyProxy.to(vendors.port);
      onTestFinished(() => far.close());
      const [folder, key, databaseUrl] = [newFolder(), newKey(), await newDatabase?.()];
      const first = await createService({
        dataFolder: folder,
        key,
        databaseUrl,
        replicate: false,
        endpoints: { linear: `${far.url}/linear` },
      });
      const tenant = await tenantOf(first, 'Acme');
      const id = await tenant.connect('linear', credentialsIn(sandbox).linear);
      await first.close();

      let ahead = 0;
      const boot = () => start(folder, key, far.url, String(ahead), 'no', ...(databaseUrl ? [databaseUrl] : []));
      const counts = { done: 0, unknown: 0 };
      let state = seed;
      const random = () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state / 2 ** 32;
      };
      let service = await boot();
      for (let point = 0; point < points; point += 1) {
        const near = await FaultyProxy.to(Number(new URL(service.url).port));
        const label = `killed-${point}`;
        const prepared = (await write.prepare?.(sandbox, label)) ?? '';
        const json = { entity: write.entity, action: write.action, params: write.params(label, prepared) };
        const token = await tokenOf(service.url, tenant);
        const ask = (url: string) => post(`${url}${connectorPath(id, '/execute')}`, json, token, label);
        const way = random() < 0.4 ? near : far;
        const direction: Direction = random() < 0.5 ? 'request' : 'reply';
        let dead: Promise<void> | undefined;
        const kill = () => {
          dead = service.kill();
        };
        way.arm({ kind: kill, direction, connection: 0, at: Math.floor(random() * 650) });
        await ask(near.url);
        await (dead ?? service.kill());
        way.arm();
        await near.close();
        ahead += silenceMs;
        service = await boot();
        let told = await ask(service.url);
        if (told.answer?.code === 'unknown_outcome') told = await ask(service.url);
        const times = await write.countDone(sandbox, label, prepared);
        const where = `${label}, ${direction}: ${told.answer?.text}`;
        expect(times, where).toBeLessThanOrEqual(1);
        if (told.answer?.status === 200) {
          counts.done += 1;
          expect(times, where).toBe(1);
        } else {
          counts.unknown += 1;
          expect([told.answer?.code, write.resolvesOnRetry], where).toEqual(['unknown_outcome', false]);
        }
      }
      console.log(`measured: ${engine}, ${name}: ${points} kills, ${JSON.stringify(counts)}`);
    },
    600_000 + points * 30_000,
  );
});
