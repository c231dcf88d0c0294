import { setTimeout as wait } from 'node:timers/promises';
import { Caller } from './caller.mjs';

const integrations = '/api/v1/integrations/connectors';

/** Makes the changes that administrators make while programs run: connectors, credentials, scopes, secrets and keys. */
export class Operator {
  /** Connectors whose removal was acknowledged. @type {string[]} */
  removed = [];
  #service;
  #caller;
  #random;
  #report;
  #vendors;
  #connectors;
  #reader;
  #made = 0;

  constructor(service, random, report, { vendors, connectors, receiver }) {
    this.#service = service;
    this.#random = random;
    this.#report = report;
    this.#vendors = vendors;
    this.#connectors = connectors;
    this.receiver = receiver;
    this.#caller = new Caller(service, random, service.client(), report);
  }

  async prepare() {
    const { body } = await this.#call('POST', '/api/v1/webhooks', { url: this.receiver.url });
    this.receiver.secret = body.secret;
    const organization = (await this.#call('GET', '/api/v1/organizations')).body.data[0].name;
    this.#reader = await this.#service.createClient('reader', organization, '--scopes', 'read,write');
  }

  async #call(method, path, json) {
    const answer = await this.#caller.final(method, path, json);
    this.#caller.note(`${method} ${path.replace(/\/(con|cli)_[^/]+/, '/{id}')}`, answer);
    return answer;
  }

  #expect(what, { status, body }, ...expected) {
    if (status !== 0 && !expected.includes(status))
      this.#report.violations.push(`${what}: ${status} ${JSON.stringify(body)?.slice(0, 200)}`);
  }

  /** A short-lived connector. */
  async #connector() {
    const credentials = this.#vendors.granola.credentials.api_key;
    const json = { workspace_name: 'default', connector_type: 'granola', name: `soak ${++this.#made}`, credentials };
    const { status, body } = await this.#call('POST', integrations, json);
    // 409: created before the connection broke.
    if (status >= 300) return;
    this.#expect('reconnect', await this.#call('PUT', `${integrations}/${body.id}`, { credentials }), 200);
    this.#expect('delete', await this.#call('DELETE', `${integrations}/${body.id}`), 200, 404);
    this.removed.push(body.id);
    this.#expect('deleted', await this.#call('GET', `${integrations}/${body.id}`), 404);
  }

  /** New credentials for a connector that is in use. */
  async #reconnect() {
    const credentials = this.#vendors.granola.credentials.api_key;
    this.#expect(
      'reconnect',
      await this.#call('PUT', `${integrations}/${this.#connectors.granola}`, { credentials }),
      200,
    );
  }

  /** Removes a client's write scope and adds it back. */
  async #scopes() {
    const path = `/api/v1/clients/${this.#reader.client_id}`;
    const execute = `${integrations}/${this.#connectors.linear}/execute`;
    const caller = new Caller(this.#service, this.#random, this.#reader, this.#report);
    await caller.signIn();
    this.#expect('scopes', await this.#call('PUT', path, { scopes: ['read'] }), 200);
    const params = { name: `denied-${++this.#made}`, teamIds: ['any'] };
    const write = await caller.final('POST', execute, { entity: 'projects', action: 'create', params });
    this.#expect('write without the scope', write, 403);
    const read = await caller.final('POST', execute, { entity: 'teams', action: 'list', params: {} });
    if (read.status === 401 || read.status === 403) this.#expect('read', read, 200);
    this.#expect('scopes', await this.#call('PUT', path, { scopes: ['read', 'write'] }), 200);
  }

  /** Replaces a client's secret, which immediately invalidates the old one. */
  async #secret() {
    const old = { ...this.#reader };
    const rolled = await this.#call('POST', `/api/v1/clients/${old.client_id}/secret`, { overlap_seconds: 0 });
    if (rolled.status !== 200) return;
    this.#reader = { client_id: rolled.body.client_id, client_secret: rolled.body.client_secret };
    const caller = new Caller(this.#service, this.#random, this.#reader, this.#report);
    if (!(await caller.signIn())) this.#report.violations.push('the new secret was refused');
    const { client_id, client_secret } = old;
    if (await new Caller(this.#service, this.#random, { client_id, client_secret }, this.#report).signIn())
      this.#report.violations.push('the old secret was accepted');
  }

  /** Replaces the master key, and occasionally the data keys. */
  async #key() {
    const words = this.#random() < 0.3 ? ['rotate-key', '--data-keys'] : ['rotate-key'];
    const done = await this.#service.json(...words).catch(() => undefined);
    const name = `${words.join(' ')}: ${done ? 'ok' : 'failed'}`;
    this.#report.outcomes[name] = (this.#report.outcomes[name] ?? 0) + 1;
  }

  /** @param {number} until @param {number} pace shortens the pauses */
  async work(until, pace) {
    const steps = [
      () => this.#connector(),
      () => this.#connector(),
      () => this.#reconnect(),
      () => this.#scopes(),
      () => this.#secret(),
      () => this.#key(),
    ];
    while (Date.now() < until) {
      await steps[Math.floor(this.#random() * steps.length)]();
      await wait(1000 * pace * (2 + this.#random() * 6));
    }
  }

  /** Waits until every acknowledged removal has been delivered as a webhook. */
  async finish() {
    this.receiver.calm = true;
    const { violations, outcomes } = this.#report;
    const until = Date.now() + 60_000;
    const missing = () => this.removed.filter((id) => !this.receiver.received.get('connector.removed')?.has(id));
    while (missing().length > 0 && Date.now() < until) {
      await this.#resend();
      await wait(1000);
    }
    for (const id of missing()) violations.push(`no webhook connector.removed for ${id}`);
    for (const [what, times] of Object.entries(this.receiver.counts)) outcomes[`webhook: ${what}`] = times;
  }

  /** Triggers deliveries waiting for their next attempt, which can be hours away. */
  async #resend() {
    const { body } = await this.#caller.final('GET', '/api/v1/webhooks');
    for (const { id, enabled } of body?.data ?? []) {
      if (!enabled) await this.#caller.final('PUT', `/api/v1/webhooks/${id}`, { enabled: true });
      const deliveries = await this.#caller.final('GET', `/api/v1/webhooks/${id}/deliveries?status=pending&limit=100`);
      for (const { id: delivery, status } of deliveries.body?.data ?? [])
        if (status === 'pending')
          await this.#caller.final('POST', `/api/v1/webhooks/${id}/deliveries/${delivery}/replay`);
    }
  }
}
