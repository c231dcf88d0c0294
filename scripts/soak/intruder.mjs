import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Caller, send } from './caller.mjs';

/** A second tenant that tries to read, change and starve the first. */
export class Intruder {
  #service;
  #caller;
  #random;
  #report;
  #victims;
  #marks;
  #expired = false;

  /** @param {{ connectors: string[], keys: () => Iterable<string> }} victim ids and keys that the intruder knows */
  constructor(service, random, report, client, { connectors, keys }) {
    this.#service = service;
    this.#random = random;
    this.#report = report;
    this.#victims = connectors;
    this.#marks = keys;
    this.#caller = new Caller(service, random, client, report);
  }

  /** Counts a response, which must not be a success. @param {number[]} refusals */
  #refused(what, { status, text, body }, refusals) {
    const temporary = status === 0 || status === 429 || status >= 500;
    if (status === 401 && what !== 'bad token') this.#expired = true;
    else if (!temporary && !refusals.includes(status))
      this.#report.violations.push(`intruder: ${what}: ${status} ${text.slice(0, 200)}`);
    if (text.includes('soak')) this.#report.violations.push(`intruder: ${what}: saw ${text.slice(0, 200)}`);
    const name = `intruder ${what}: ${temporary ? 'temporarily refused' : (body?.code ?? status)}`;
    this.#report.outcomes[name] = (this.#report.outcomes[name] ?? 0) + 1;
  }

  #one(list) {
    return list[Math.floor(this.#random() * list.length)];
  }

  async #foreignConnector() {
    const path = `/api/v1/integrations/connectors/${this.#one(this.#victims)}`;
    const execute = (entity, action, params, headers) =>
      this.#caller.once('POST', `${path}/execute`, { entity, action, params }, headers);
    const keys = [...this.#marks()];
    const tries = {
      get: () => this.#caller.once('GET', path),
      change: () => this.#caller.once('PUT', path, { name: 'mine' }),
      delete: () => this.#caller.once('DELETE', path),
      sync: () => this.#caller.once('POST', `${path}/sync`, {}),
      jobs: () => this.#caller.once('GET', `${path}/jobs`),
      read: () => execute('issues', 'list', {}),
      search: () => execute('issues', 'context_store_search', { query: {} }),
      repeat: () =>
        execute('projects', 'create', { name: 'mine', teamIds: ['x'] }, { 'idempotency-key': this.#one(keys) }),
    };
    const what = this.#one(Object.keys(tries).filter((name) => name !== 'repeat' || keys.length > 0));
    this.#refused(what, await tries[what](), [403, 404]);
  }

  /** Lists contain only the intruder's own items, so they must be empty. */
  async #lists() {
    const path = this.#one([
      '/api/v1/integrations/connectors?workspace_name=default',
      '/api/v1/webhooks',
      '/api/v1/plans',
      '/api/v1/audit?limit=100',
      '/api/v1/oauth/grants',
    ]);
    const answer = await this.#caller.once('GET', path);
    const own = path.includes('audit') ? [] : (answer.body?.data ?? []);
    if (answer.status === 200 && own.length > 0)
      this.#report.violations.push(`intruder: ${path} has ${answer.text.slice(0, 200)}`);
    this.#refused('list', answer, [200, 403]);
  }

  async #badToken() {
    const token = this.#one(['', 'a.b.c', randomBytes(300).toString('base64url')]);
    const headers = { authorization: `Bearer ${token}` };
    this.#refused('bad token', await send(`${this.#service.url}/api/v1/account/me`, { headers }), [401]);
  }

  async #badBody() {
    const url = `${this.#service.url}/api/v1/account/applications/token`;
    const json = this.#one([
      [],
      { client_id: 'x'.repeat(100_000) },
      { client_id: {}, client_secret: null },
      'x'.repeat(9e6),
    ]);
    this.#refused('bad body', await send(url, { method: 'POST', json }), [400, 401, 413, 422]);
  }

  /** Many concurrent requests. */
  async #flood() {
    const answers = await Promise.all(Array.from({ length: 60 }, () => this.#caller.once('GET', '/api/v1/account/me')));
    for (const answer of answers) this.#refused('flood', answer, [200]);
  }

  /** @param {number} until */
  async work(until) {
    while (Date.now() < until) {
      if (this.#expired) await this.#caller.signIn();
      this.#expired = false;
      const chance = this.#random();
      if (chance < 0.5) await this.#foreignConnector();
      else if (chance < 0.7) await this.#lists();
      else if (chance < 0.8) await this.#badToken();
      else if (chance < 0.9) await this.#badBody();
      else await this.#flood();
      await wait(this.#random() * 400);
    }
  }
}
