import { ConnectorError } from './errors.js';
import { addressOf, type ResolvedEndpoints } from './http/address.js';
import type { HttpRequest } from './http/request.js';

/** A write that was made ready and not sent; `execute` with it in its options carries out just this. */
export interface Plan {
  readonly entity: string;
  readonly action: string;
  /** The first request that changes data, as it would be sent; credentials are no part of it. */
  readonly request: PlannedRequest;
  /** For records whose id the client chooses: the plan is carried out with the same. */
  readonly id: string;
  /** SHA-256, in hexadecimal, of the parameters and the request. */
  readonly digest: string;
}

/** A request that would change data. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  /** JSON; of bytes their type, number and SHA-256; null for none. */
  readonly body: unknown;
}

/** Thrown in place of a write that is only planned. */
export class Planned extends Error {
  readonly plan: Plan;

  constructor(plan: Plan) {
    super('The write is planned.');
    this.plan = plan;
  }
}

/** What one call intends: a plan to be made, or one to be held to. */
export type Intention = { readonly make: true; readonly id: string } | { readonly hold: Plan };

interface Named {
  readonly entity: string;
  readonly action: string;
  readonly params: unknown;
}

/** Makes the plan of a write. */
export async function planOf(
  { entity, action, params }: Named,
  request: HttpRequest,
  endpoints: ResolvedEndpoints,
  id: string,
): Promise<Plan> {
  const { url } = addressOf(request, endpoints);
  const planned = { method: request.method, url, body: await bodyOf(request) };
  const digest = await sha256(new TextEncoder().encode(await canonical([entity, action, id, params, planned])));
  return { entity, action, request: planned, id, digest };
}

/** Refuses a plan that is none, or one of something else. */
export function checkPlan(plan: Plan, entity: string, action: string): Plan {
  const { id, digest } = plan;
  if (plan.entity === entity && plan.action === action && typeof id === 'string' && /^[\da-f]{64}$/.test(digest)) {
    return plan;
  }
  throw new ConnectorError('invalid_params', `plan: it must be one that plan('${entity}', '${action}', …) gave.`);
}

/** Throws `conflict` unless a write is the one that was planned. */
export function hold(plan: Plan, now: Plan): void {
  if (plan.digest === now.digest) return;
  throw new ConnectorError('conflict', `${now.entity}.${now.action} is not what was planned; nothing was changed.`, {
    hint: 'What it depends on has changed, or the parameters have: make a new plan.',
  });
}

async function bodyOf({ json, content }: HttpRequest): Promise<unknown> {
  if (json !== undefined) return json;
  return content ? bytesOf(content.type, content.body) : null;
}

async function bytesOf(type: string, body: string | Uint8Array | Blob): Promise<object> {
  const bytes = new Uint8Array(await new Blob([body as Uint8Array<ArrayBuffer>]).arrayBuffer());
  return { type, bytes: bytes.length, sha256: await sha256(bytes) };
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** JSON that is the same whatever the order of names; bytes stand by their digest. */
async function canonical(value: unknown): Promise<string> {
  if (value instanceof ReadableStream) {
    throw new ConnectorError(
      'invalid_params',
      'A stream can be read once only, so that it cannot be planned: pass bytes.',
    );
  }
  if (value instanceof Blob || value instanceof Uint8Array) return canonical(await bytesOf('', value));
  if (Array.isArray(value)) return `[${(await Promise.all(value.map(canonical))).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const written = members.map(async ([name, member]) => `${JSON.stringify(name)}:${await canonical(member)}`);
  return `{${(await Promise.all(written)).join()}}`;
}
