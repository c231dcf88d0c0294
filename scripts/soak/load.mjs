import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** A longer call counts as a hang. */
const maxWaitMs = 120_000;
const requestTimeoutMs = 45_000;

/** Calls the service like a careful program, and records the responses. */
export class Load {
  /** @type {Record<string, number>} Answers by operation and outcome. */
  outcomes = {};
  /** Writes by key: what was sent, and the last word on it. @type {Map<string, any>} */
  writes = new Map();
  violations = [];
  #service;
  #connectors;
  #random;
  #token;
  #team;

  constructor(service, random) {
    this.#service = service;
    this.#random = random;
  }

  /** One request; a broken connection is an outcome too. */
  async #request(method, path, { json, headers = {}, token = this.#token } = {}) {
    try {
      const reply = await fetch(`${this.#service.url}${path}`, {
        method,
        headers: {
          ...(json && { 'content-type': 'application/json' }),
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(json && { body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
      const text = await reply.text();
      return { status: reply.status, body: text ? parseJson(text) : undefined, headers: reply.headers };
    } catch (error) {
      return { status: 0, body: undefined, reason: error?.cause?.code ?? error?.name };
    }
  }

  async #signIn() {
    for (;;) {
      const { status, body } = await this.#request('POST', '/api/v1/account/applications/token', {
        json: this.#service.client(),
        token: null,
      });
      if (status === 200) {
        this.#token = body.access_token;
        return;
      }
      await wait(300);
    }
  }

  /** Retries until a final response: broken connections, temporary rejections and expired tokens are not final. */
  async #requestUntilFinal(method, path, json, headers) {
    const until = Date.now() + maxWaitMs;
    let answer;
    for (let attempts = 1; Date.now() < until; attempts++) {
      answer = await this.#request(method, path, { json, headers });
      if (answer.status === 401) await this.#signIn();
      else if (answer.status !== 0 && answer.status !== 429 && answer.status < 500 && !isInProgress(answer))
        return { ...answer, tries: attempts };
      else if (answer.status >= 500 && answer.body?.retryable === false) return { ...answer, tries: attempts };
      await wait(200 + this.#random() * 800);
    }
    return {
      ...answer,
      status: 0,
      last: `${answer?.status} ${answer?.reason ?? JSON.stringify(answer?.body)}`,
      tries: -1,
    };
  }

  #note(what, { status, body, tries, last }) {
    const code = status === 0 ? 'no answer' : status < 300 ? 'ok' : body?.code;
    if (status === 0) this.violations.push(`${what}: no last word within ${maxWaitMs / 1000} s, at last ${last}`);
    else if (!code) this.violations.push(`${what}: ${status} without a code`);
    const name = `${what}: ${code}${status > 0 && tries > 1 ? ', after tries' : ''}`;
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
  }

  /** Makes the connectors. @param {Record<string, any>} vendors */
  async prepare(vendors) {
    await this.#signIn();
    this.#connectors = {};
    for (const [type, credentials, replication_config] of [
      ['linear', vendors.linear.credentials.oauth],
      ['google-drive', vendors['google-drive'].credentials.oauth],
      ['gong', vendors.gong.credentials.oauth],
      ['granola', vendors.granola.credentials.api_key],
    ]) {
      const json = { workspace_name: 'default', connector_type: type, credentials, replication_config };
      const { status, body } = await this.#requestUntilFinal('POST', '/api/v1/integrations/connectors', json);
      if (status !== 201 && status !== 200) throw new Error(`No connector of type ${type}: ${JSON.stringify(body)}`);
      this.#connectors[type] = body.id;
    }
    const { body } = await this.#execute('linear', 'teams', 'list', {});
    this.#team = body.result[0].id;
  }

  #execute(type, entity, action, params, headers) {
    const path = `/api/v1/integrations/connectors/${this.#connectors[type]}/execute`;
    return this.#requestUntilFinal('POST', path, { entity, action, params }, headers);
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
    this.#note('list', answer);
  }

  async #search() {
    const prompt = this.#oneOf(['retries of bank feeds', 'who leads the onboarding', 'sign in fails']);
    const params =
      this.#random() < 0.5 ? { semantic: { prompt } } : { query: { filter: { keyword: { title: prompt } } } };
    this.#note('search', await this.#execute('linear', 'issues', 'context_store_search', params));
  }

  async #walk() {
    const seen = new Set();
    for (let after; ; ) {
      const answer = await this.#execute('linear', 'users', 'list', { first: 3, ...(after && { after }) });
      if (answer.status !== 200) return this.#note('page', answer);
      for (const { id } of answer.body.result) {
        if (seen.has(id)) this.violations.push(`a walk gave ${id} twice`);
        seen.add(id);
      }
      const { hasNextPage, endCursor } = answer.body.connector_metadata;
      if (!hasNextPage) return this.#note('page', answer);
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

  /** Runs a write to its final response. */
  async write(write) {
    const { key, mark, type, entity, params } = write;
    this.writes.set(key, { ...write, acknowledged: this.writes.get(key)?.acknowledged });
    const answer = await this.#execute(type, entity, 'create', params, { 'idempotency-key': key });
    const recorded = this.writes.get(key);
    if (answer.status >= 200 && answer.status < 300) {
      const { issue, project, id = (issue ?? project).id } = answer.body.result;
      if (recorded.acknowledged && recorded.acknowledged !== id)
        this.violations.push(`${mark} was answered with two ids`);
      recorded.acknowledged = id;
    } else recorded.refusal = answer.body?.code ?? 'no answer';
    this.#note('write', answer);
  }

  #oneOf(list) {
    return list[Math.floor(this.#random() * list.length)];
  }

  /** One of so many that work side by side. @param {number} until */
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

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text.slice(0, 200) };
  }
}

/** Whether the same write is still in progress. */
const isInProgress = ({ status, body }) => status === 409 && body?.retryable === true;
