import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Caller } from './caller.mjs';

/** Reads, searches and writes like a well-behaved program, and records the outcome of each write. */
export class Load {
  /** Writes by key: the request and its last outcome. @type {Map<string, any>} */
  writes = new Map();
  /** Ids by connector type. @type {Record<string, string>} */
  connectors = {};
  #caller;
  #random;
  #team;

  /** @param {import('./programs.mjs').Service} service @param {() => number} random @param {object} report */
  constructor(service, random, report) {
    this.#random = random;
    this.#caller = new Caller(service, random, service.client(), report);
  }

  get violations() {
    return this.#caller.report.violations;
  }

  /** Creates the connectors. @param {Record<string, any>} vendors */
  async prepare(vendors) {
    for (const [type, credentials, replication_config] of [
      ['linear', vendors.linear.credentials.oauth],
      ['google-drive', vendors['google-drive'].credentials.oauth],
      ['gong', vendors.gong.credentials.oauth],
      ['granola', vendors.granola.credentials.api_key],
    ]) {
      const json = { workspace_name: 'default', connector_type: type, credentials, replication_config };
      const { status, body } = await this.#caller.final('POST', '/api/v1/integrations/connectors', json);
      if (status !== 201 && status !== 200) throw new Error(`No connector of type ${type}: ${JSON.stringify(body)}`);
      this.connectors[type] = body.id;
    }
    const { body } = await this.#execute('linear', 'teams', 'list', {});
    this.#team = body.result[0].id;
  }

  #execute(type, entity, action, params, headers) {
    const path = `/api/v1/integrations/connectors/${this.connectors[type]}/execute`;
    return this.#caller.final('POST', path, { entity, action, params }, headers);
  }

  async #read() {
    const [type, entity, params] = this.#oneOf([
      ['linear', 'issues', { first: 50 }],
      ['linear', 'projects', {}],
      ['google-drive', 'files', { pageSize: 50 }],
      ['gong', 'users', {}],
      ['granola', 'notes', { page_size: 20 }],
    ]);
    const answer = await this.#execute(type, entity, 'list', params);
    if (answer.status === 200 && !(answer.body.result.length > 0)) this.violations.push(`${entity}.list was empty`);
    this.#caller.note('list', answer);
  }

  async #search() {
    const prompt = this.#oneOf(['retries of bank feeds', 'who leads the onboarding', 'sign in fails']);
    const params =
      this.#random() < 0.5 ? { semantic: { prompt } } : { query: { filter: { keyword: { title: prompt } } } };
    this.#caller.note('search', await this.#execute('linear', 'issues', 'context_store_search', params));
  }

  async #walk() {
    const seen = new Set();
    for (let after; ; ) {
      const answer = await this.#execute('linear', 'users', 'list', { first: 3, ...(after && { after }) });
      if (answer.status !== 200) return this.#caller.note('page', answer);
      for (const { id } of answer.body.result) {
        if (seen.has(id)) this.violations.push(`a walk gave ${id} twice`);
        seen.add(id);
      }
      const { hasNextPage, endCursor } = answer.body.connector_metadata;
      if (!hasNextPage) return this.#caller.note('page', answer);
      after = endCursor;
    }
  }

  async #write() {
    const key = randomUUID();
    const mark = `soak-${key}`;
    const [type, entity, params] = this.#oneOf([
      ['linear', 'issues', { teamId: this.#team, title: mark }],
      ['linear', 'projects', { name: mark, teamIds: [this.#team] }],
      [
        'google-drive',
        'files_upload',
        { name: mark, file_content: Buffer.from(mark).toString('base64'), file_mime_type: 'text/plain' },
      ],
    ]);
    await this.write({ key, mark, type, entity, params });
  }

  /** Runs a write until it gets a final response. */
  async write(write) {
    const { key, mark, type, entity, params } = write;
    this.writes.set(key, { ...write, acknowledged: this.writes.get(key)?.acknowledged });
    const answer = await this.#execute(type, entity, 'create', params, { 'idempotency-key': key });
    const recorded = this.writes.get(key);
    if (answer.status >= 200 && answer.status < 300) {
      const { issue, project, id = (issue ?? project).id } = answer.body.result;
      if (recorded.acknowledged && recorded.acknowledged !== id)
        this.violations.push(`${mark} received two different ids`);
      recorded.acknowledged = id;
    } else recorded.refusal = answer.body?.code ?? 'no answer';
    this.#caller.note('write', answer);
  }

  #oneOf(list) {
    return list[Math.floor(this.#random() * list.length)];
  }

  /** One of several concurrent workers. @param {number} until */
  async work(until) {
    while (Date.now() < until) {
      const chance = this.#random();
      if (chance < 0.35) await this.#read();
      else if (chance < 0.55) await this.#search();
      else if (chance < 0.65) await this.#walk();
      else await this.#write();
      await wait(this.#random() * 200);
    }
  }
}
