import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Sandbox } from 'agent-connectors-sandbox';
import { type CreateOptions, createService, type Service } from 'agent-connectors-service';
import { onTestFinished } from 'vitest';
import { createRequester, type Requester } from '../http/setup.js';
import { WordEmbedder } from '../store/embedder.js';
import { type Facts, FixtureClock, fixtureKey, fixtureSandbox, publicUrl } from './facts.js';
import { serveDump } from './postgres-server.js';

/** An embedder that only embeds prompts, so semantic searches must use existing vectors. */
class PromptEmbedder extends WordEmbedder {
  override async embed(texts: readonly string[], kind?: 'query' | 'passage'): Promise<Float32Array[]> {
    if (kind === 'passage') throw new Error('There are no passages to embed here.');
    return super.embed(texts);
  }
}

/** A fixture opened by the current code. */
export interface OpenedFixture {
  readonly facts: Facts;
  readonly sandbox: Sandbox;
  /** Closes the service if it is open, and opens it again. */
  open(options?: CreateOptions): Promise<Service>;
  /** Sends requests as a client that signs in now, or in one of the other ways listed in the facts. */
  as(name: string): Promise<Requester>;
}

/** A copy of a fixture shortly after its service was stopped; its vendors only have their initial data. */
export async function openFixture(fixture: URL): Promise<OpenedFixture> {
  const file = (name: string) => readFileSync(new URL(name, fixture));
  const unpack = (name: string) => gunzipSync(file(`${name}.gz`));
  const facts: Facts = JSON.parse(file('facts.json').toString());
  const clock = new FixtureClock();
  const sandbox = fixtureSandbox(clock);
  clock.set(facts.stopped + 60_000);
  const dataFolder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const storage: CreateOptions = { dataFolder };
  if (fixture.pathname.endsWith('/sqlite/')) {
    const write = (name: string, bytes: Buffer) => writeFileSync(join(dataFolder, name), bytes, { mode: 0o600 });
    for (const name of ['state.db', 'records.db']) write(name, unpack(name));
    write('key', file('key'));
  } else {
    const served = await serveDump(unpack('dump.sql').toString());
    onTestFinished(() => served.close());
    Object.assign(storage, { databaseUrl: served.url, key: fixtureKey });
  }
  let service: Service | undefined;
  onTestFinished(() => service?.close());
  const bearer = (token: string) => createRequester(service!, { authorization: `Bearer ${token}` });
  return {
    facts,
    sandbox,
    async open(options = {}) {
      await service?.close();
      const common = {
        publicUrl,
        now: clock.now,
        fetch: sandbox.fetch,
        embedders: [new PromptEmbedder()],
        replicate: false,
      };
      service = await createService({ ...storage, ...common, ...options });
      return service;
    },
    async as(name) {
      if (name === 'scoped') return bearer(facts.scoped);
      if (name === 'console') {
        const { cookie } = facts.console;
        return createRequester(service!, { cookie, 'x-console': '1', 'sec-fetch-site': 'same-origin' });
      }
      const { client_id, client_secret } = facts.clients[name]!;
      const json = { client_id, client_secret };
      const { status, text, body } = await createRequester(service!)('POST', '/api/v1/account/applications/token', {
        json,
      });
      if (status !== 200) throw new Error(text);
      return bearer(body.access_token);
    },
  };
}
