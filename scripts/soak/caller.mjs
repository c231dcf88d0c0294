import { setTimeout as wait } from 'node:timers/promises';

/** A call that takes longer is considered hung. */
const maxWaitMs = 120_000;
const requestTimeoutMs = 45_000;

/**
 * Sends one request; a broken connection is reported as a response with status 0.
 *
 * @param {string} url
 * @param {{ method?: string, json?: unknown, headers?: Record<string, string> }} [sent]
 */
export async function send(url, { method = 'GET', json, headers = {} } = {}) {
  try {
    const reply = await fetch(url, {
      method,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await reply.text();
    return { status: reply.status, text, body: parseJson(text), headers: reply.headers };
  } catch (error) {
    return { status: 0, text: '', body: undefined, headers: new Headers(), reason: error?.cause?.code ?? error?.name };
  }
}

/** A client of the service that retries until a response is final. */
export class Caller {
  #service;
  #random;
  #token;

  /**
   * @param {{ url: string }} service
   * @param {() => number} random
   * @param {{ client_id: string, client_secret: string }} client
   * @param {{ outcomes: Record<string, number>, violations: string[] }} report
   */
  constructor(service, random, client, report) {
    this.#service = service;
    this.#random = random;
    this.client = client;
    this.report = report;
  }

  /** Gets a token; false if the service rejects the secret. */
  async signIn() {
    const until = Date.now() + maxWaitMs;
    let last;
    while (Date.now() < until) {
      last = await send(`${this.#service.url}/api/v1/account/applications/token`, {
        method: 'POST',
        json: this.client,
      });
      if (last.status === 200) {
        this.#token = last.body.access_token;
        return true;
      }
      if (last.status === 401) return false;
      await wait(300);
    }
    this.report.violations.push(
      `no token within ${maxWaitMs / 1000} s; the last answer was ${last?.status} ${last?.text}`,
    );
    return false;
  }

  /** One request with the current token. */
  async once(method, path, json, headers) {
    if (!this.#token) await this.signIn();
    const authorization = `Bearer ${this.#token}`;
    return send(this.#service.url + path, { method, json, headers: { authorization, ...headers } });
  }

  /** Repeats a request after broken connections, temporary errors and expired tokens, until a response is final. */
  async final(method, path, json, headers) {
    const until = Date.now() + maxWaitMs;
    let answer;
    for (let tries = 1; Date.now() < until; tries++) {
      answer = await this.once(method, path, json, headers);
      if (answer.status === 401) await this.signIn();
      else if (answer.status !== 0 && answer.status !== 429 && answer.status < 500 && !isInProgress(answer))
        return { ...answer, tries };
      else if (answer.status >= 500 && answer.body?.retryable === false) return { ...answer, tries };
      await wait(200 + this.#random() * 800);
    }
    return {
      ...answer,
      status: 0,
      last: `${answer?.status} ${answer?.reason ?? JSON.stringify(answer?.body)}`,
      tries: -1,
    };
  }

  /** Counts a final response. */
  note(what, { status, body, tries, last }) {
    const { outcomes, violations } = this.report;
    const code = status === 0 ? 'no answer' : status < 300 ? 'ok' : body?.code;
    if (status === 0) violations.push(`${what}: no final answer within ${maxWaitMs / 1000} s; the last was ${last}`);
    else if (!code) violations.push(`${what}: ${status} without a code`);
    const name = `${what}: ${code}${status > 0 && tries > 1 ? ', after retries' : ''}`;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  }
}

function parseJson(text) {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: text.slice(0, 200) };
  }
}

/** Whether the same write is still in progress. */
const isInProgress = ({ status, body }) => status === 409 && body?.retryable === true;
