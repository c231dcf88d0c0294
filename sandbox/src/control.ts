import type { FaultRule } from './faults.js';
import type { Sandbox } from './types.js';

type Control = (sandbox: Sandbox, body: any) => unknown;

const controls: Record<string, Control> = {
  'GET /': ({ vendors, clock }) => ({ vendors, now: clock.now() }),
  'POST /reset': (sandbox) => sandbox.reset(),
  'GET /dump': (sandbox) => sandbox.dump(),
  'POST /load': (sandbox, body) => sandbox.load(body),
  'GET /requests': (sandbox) => ({ requests: sandbox.requests }),
  'DELETE /requests': (sandbox) => sandbox.requests.clear(),
  'POST /faults': (sandbox, body) => {
    for (const rule of Array.isArray(body) ? body : [body]) sandbox.faults.add(parseFaultRule(rule));
  },
  'DELETE /faults': (sandbox) => sandbox.faults.clear(),
  'POST /clock/advance': (sandbox, body) => {
    sandbox.clock.advance(body?.ms);
    return { now: sandbox.clock.now() };
  },
  'POST /expire-tokens': (sandbox) => sandbox.expireTokens(),
  'POST /revoke': (sandbox, body) => {
    if (typeof body?.secret !== 'string') throw new TypeError('revoke takes {"secret": "…"}');
    sandbox.revoke(body.secret);
  },
  'PUT /limits': (sandbox, body) => {
    const handles = sandbox.vendors as Record<string, { limits: object }>;
    for (const [vendor, limits] of Object.entries(body ?? {})) {
      const handle = handles[vendor];
      if (!handle) throw new TypeError(`no vendor '${vendor}'`);
      if (!('limits' in handle)) throw new TypeError(`Vendor '${vendor}' has no rate limits.`);
      handle.limits = limits as object;
    }
  },
};

/** Handles the control endpoints, which let another process control the sandbox. */
export async function answerControl(sandbox: Sandbox, request: Request): Promise<Response> {
  const path = new URL(request.url).pathname.slice('/_sandbox'.length) || '/';
  const control = controls[`${request.method} ${path}`];
  if (!control) return Response.json({ error: 'not_found', endpoints: Object.keys(controls) }, { status: 404 });
  try {
    const text = await request.text();
    return Response.json(control(sandbox, text === '' ? undefined : JSON.parse(text)) ?? { ok: true });
  } catch (error) {
    return Response.json({ error: 'bad_request', message: (error as Error).message }, { status: 400 });
  }
}

/** JSON has no Infinity, so a null count represents it. */
function parseFaultRule(rule: FaultRule & { count?: number | null }): FaultRule {
  return { ...rule, ...(rule.count === null && { count: Number.POSITIVE_INFINITY }) };
}
