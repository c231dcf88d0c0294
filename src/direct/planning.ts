import { assertSamePlan, type Plan, PlanCreated } from '../call/plan.js';
import type { Operation } from '../call/transport.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { HttpRequest } from '../http/request.js';
import { addressOf, type ResolvedEndpoints } from '../http/request.js';

const verifiedOperations = new WeakSet<Operation>();

/** Stops at the first write of a planned call, or compares the write with the given plan. */
export async function enforcePlan(
  operation: Operation,
  request: HttpRequest,
  endpoints: ResolvedEndpoints,
  credentials: Readonly<Record<string, string>>,
): Promise<void> {
  const { planMode } = operation;
  if (!planMode || verifiedOperations.has(operation)) return;
  const id = 'dryRun' in planMode ? planMode.id : planMode.expected.id;
  const plan = await planOf(operation, request, endpoints, id, credentials);
  if ('dryRun' in planMode) throw new PlanCreated(plan);
  assertSamePlan(planMode.expected, plan);
  verifiedOperations.add(operation);
}

/** Creates the plan for a write. */
async function planOf(
  { manifest: { name: connector }, entity, action, params }: Operation,
  request: HttpRequest,
  endpoints: ResolvedEndpoints,
  id: string,
  credentials: Readonly<Record<string, string>>,
): Promise<Plan> {
  const { continues } = request;
  if (continues !== undefined) {
    throw new ConnectorError(
      'invalid_params',
      `${entity}.${action} with ${continues} continues an earlier call, so it cannot be planned.`,
      {
        issues: [{ path: continues, message: 'cannot be planned' }],
        hint: `Omit ${continues}: a plan must show the whole change.`,
      },
    );
  }
  const { url } = addressOf(request, endpoints);
  const planned = { method: request.method, url, body: await bodyOf(request) };
  const owner = await fingerprint(credentials, id);
  const digest = await canonicalDigest([connector, entity, action, id, params, planned, owner]);
  return { connector, entity, action, request: planned, id, digest };
}

type Credentials = Readonly<Record<string, string>>;

const keys = new WeakMap<Credentials, Promise<CryptoKey>>();

const encode = (text: string) => new TextEncoder().encode(text);

/** Identifies credentials and is slow to brute-force, although only the first one of a connector takes long. */
async function fingerprint(credentials: Credentials, id: string): Promise<string> {
  let key = keys.get(credentials);
  if (!key) {
    key = keyOf(credentials);
    keys.set(credentials, key);
  }
  return hex(await crypto.subtle.sign('HMAC', await key, encode(id)));
}

/** Tokens are ignored because refreshing changes them. */
async function keyOf({ access_token, refresh_token, ...lasting }: Credentials): Promise<CryptoKey> {
  const raw = encode([...canonicalPieces(lasting)].join(''));
  const secret = await crypto.subtle.importKey('raw', raw, 'PBKDF2', false, ['deriveKey']);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt: encode('agent-connectors plan'), iterations: 100_000 };
  return crypto.subtle.deriveKey(derivation, secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

async function bodyOf({ json, content }: HttpRequest): Promise<unknown> {
  if (json !== undefined) return json;
  return content ? digestOf(content.type, content.body) : null;
}

async function digestOf(type: string, body: string | Uint8Array | Blob): Promise<object> {
  const bytes = new Uint8Array(await new Blob([body as Uint8Array<ArrayBuffer>]).arrayBuffer());
  return { type, bytes: bytes.length, sha256: await sha256(bytes) };
}

const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  hex(await crypto.subtle.digest('SHA-256', bytes));

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Characters that are encoded at a time, so that long parameters do not block other calls. */
const maxPieceLength = 2 ** 17;

/** SHA-256 of a value's JSON, independent of key order; bytes are replaced by their digest. */
async function canonicalDigest(value: unknown): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let text = '';
  for (const piece of canonicalPieces(value)) {
    text += typeof piece === 'string' ? piece : [...canonicalPieces(await digestOf('', piece))].join('');
    if (text.length < maxPieceLength) continue;
    parts.push(encode(text));
    text = '';
    await new Promise((resolve) => setTimeout(resolve));
  }
  return sha256(new Uint8Array(await new Blob([...parts, text]).arrayBuffer()));
}

/** The parts of a value's JSON, independent of key order, with bytes as they are. */
function* canonicalPieces(value: unknown): Generator<string | Blob | Uint8Array> {
  if (value instanceof ReadableStream) {
    throw new ConnectorError(
      'invalid_params',
      'A stream can be read only once, so this call cannot be planned: pass bytes.',
    );
  }
  if (value instanceof Blob || value instanceof Uint8Array) yield value;
  else if (typeof value === 'string' && value.length > maxPieceLength) {
    yield '"';
    for (let at = 0; at < value.length; ) {
      const end = at + maxPieceLength;
      // Not between the halves of a surrogate pair.
      const isSplit = /[\ud800-\udbff]/.test(value.charAt(end - 1));
      yield JSON.stringify(value.slice(at, isSplit ? end + 1 : end)).slice(1, -1);
      at = isSplit ? end + 1 : end;
    }
    yield '"';
  } else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* canonicalPieces(item);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([one], [another]) => (one < another ? -1 : 1));
    let before = '{';
    for (const [name, member] of members) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* canonicalPieces(member);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value) ?? 'null';
}
