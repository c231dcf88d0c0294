import { ConnectorError } from '../call/errors.js';
import type { Plan } from '../call/plan.js';
import { addressOf, type ResolvedEndpoints } from './address.js';
import type { HttpRequest } from './request.js';

interface PlannedAction {
  readonly entity: string;
  readonly action: string;
  readonly params: unknown;
}

/** Makes the plan of a write. */
export async function planOf(
  { entity, action, params }: PlannedAction,
  request: HttpRequest,
  endpoints: ResolvedEndpoints,
  id: string,
): Promise<Plan> {
  const { url } = addressOf(request, endpoints);
  const planned = { method: request.method, url, body: await bodyOf(request) };
  const digest = await sha256(new TextEncoder().encode(await canonicalJson([entity, action, id, params, planned])));
  return { entity, action, request: planned, id, digest };
}

async function bodyOf({ json, content }: HttpRequest): Promise<unknown> {
  if (json !== undefined) return json;
  return content ? digestOf(content.type, content.body) : null;
}

async function digestOf(type: string, body: string | Uint8Array | Blob): Promise<object> {
  const bytes = new Uint8Array(await new Blob([body as Uint8Array<ArrayBuffer>]).arrayBuffer());
  return { type, bytes: bytes.length, sha256: await sha256(bytes) };
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** JSON that is the same whatever the order of names; bytes stand by their digest. */
async function canonicalJson(value: unknown): Promise<string> {
  if (value instanceof ReadableStream) {
    throw new ConnectorError(
      'invalid_params',
      'A stream can be read once only, so that it cannot be planned: pass bytes.',
    );
  }
  if (value instanceof Blob || value instanceof Uint8Array) return canonicalJson(await digestOf('', value));
  if (Array.isArray(value)) return `[${(await Promise.all(value.map(canonicalJson))).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const entries = members.map(async ([name, member]) => `${JSON.stringify(name)}:${await canonicalJson(member)}`);
  return `{${(await Promise.all(entries)).join()}}`;
}
