import { checksumsOf } from './checksums.js';
import type { SandboxClock } from './clock.js';
import { Random } from './random.js';
import type { VendorReply, VendorRequest } from './vendor.js';

/** Who may be let in, and by whom. */
export interface ConsentWorld {
  /** The vendor's name, as the page shows it. */
  readonly title: string;
  readonly clients: readonly string[];
  /** Who can agree, by label. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Stands between scopes in the address. */
  readonly separator: string;
  /** Whether the vendor knows a scope. */
  readonly knows: (scope: string) => boolean;
}

/** What a person has agreed to. */
export interface Agreement {
  readonly client: string;
  readonly account: string;
  /** With spaces between them. */
  readonly scope: string;
}

interface GivenCode extends Agreement {
  readonly redirect: string;
  readonly challenge: string | null;
  readonly expiresAt: number;
}

/** Codes that were given and not exchanged, as plain JSON. */
export interface ConsentState {
  codes: Record<string, GivenCode>;
  random: number;
}

/** What a sandbox begins with. */
export const newConsentState = (seed: number): ConsentState => ({ codes: {}, random: new Random(seed ^ 0xc0de).state });

const lifetime = 10 * 60_000;

/** Why a code is not taken: for the vendor to say in its own words. */
export type CodeFault = 'unknown' | 'foreign_client' | 'other_redirect' | 'wrong_verifier';

interface Asked {
  readonly client: string;
  readonly redirect: string;
  readonly state: string | null;
  readonly scopes: readonly string[];
  readonly challenge: string | null;
}

/** A vendor's page on which a person lets an application in, and the codes that it gives. */
export class Consent {
  state: ConsentState;
  private readonly clock: SandboxClock;
  private readonly world: ConsentWorld;

  constructor(clock: SandboxClock, seed: number, world: ConsentWorld) {
    this.clock = clock;
    this.world = world;
    this.state = newConsentState(seed);
  }

  /** Answers the address of the page: shows it, or takes what was chosen on it. */
  answer(request: VendorRequest): VendorReply {
    const given = request.method === 'POST' ? new URLSearchParams(request.body) : request.search;
    const asked = this.askedIn(given);
    // Never back to the application: nobody has shown that the address is its own.
    if (typeof asked === 'string') return page(400, this.world.title, `<p role="alert">${escaped(asked)}</p>`);
    const fault = this.faultOf(given, asked);
    if (fault !== undefined) return back(asked, { error: fault });
    if (request.method !== 'POST') return this.show(asked, given);
    const account = given.get('account') ?? '';
    if (!Object.hasOwn(this.world.accounts, account)) return back(asked, { error: 'access_denied' });
    return back(asked, { code: this.give(asked, account) });
  }

  /** Takes a code, which is good for one use whatever comes of it. */
  redeem(code: string, by: { client: string; redirect: string; verifier: string | null }): Agreement | CodeFault {
    const given = Object.hasOwn(this.state.codes, code) ? this.state.codes[code] : undefined;
    delete this.state.codes[code];
    if (!given || given.expiresAt <= this.clock.now()) return 'unknown';
    if (given.client !== by.client) return 'foreign_client';
    if (given.redirect !== by.redirect) return 'other_redirect';
    if (given.challenge !== null && challengeOf(by.verifier ?? '') !== given.challenge) return 'wrong_verifier';
    const { client, account, scope } = given;
    return { client, account, scope };
  }

  private askedIn(given: URLSearchParams): Asked | string {
    const client = given.get('client_id') ?? '';
    if (!this.world.clients.includes(client)) return `No application has the client_id '${client}'.`;
    const redirect = given.get('redirect_uri') ?? '';
    if (!isAllowed(redirect)) return 'redirect_uri must be https, or http on this machine, and without a fragment.';
    const scopes = (given.get('scope') ?? '').split(this.world.separator).filter(Boolean);
    return { client, redirect, scopes, state: given.get('state'), challenge: given.get('code_challenge') };
  }

  private faultOf(given: URLSearchParams, { scopes, challenge }: Asked): string | undefined {
    if (given.get('response_type') !== 'code') return 'unsupported_response_type';
    if (scopes.length === 0 || !scopes.every(this.world.knows)) return 'invalid_scope';
    if (challenge !== null && given.get('code_challenge_method') !== 'S256') return 'invalid_request';
    return undefined;
  }

  private show({ client, scopes }: Asked, given: URLSearchParams): VendorReply {
    const hidden = [...given]
      .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
      .join('');
    const choices = Object.entries(this.world.accounts)
      .map(([label, name]) => `<button name="account" value="${escaped(label)}">Allow as ${escaped(name)}</button>`)
      .join('\n');
    return page(
      200,
      this.world.title,
      `<p>The application <code>${escaped(client)}</code> asks for:</p>
<ul>${scopes.map((scope) => `<li>${escaped(scope)}</li>`).join('')}</ul>
<form method="post" action="?">${hidden}
${choices}
<button name="account" value="">Deny</button></form>`,
    );
  }

  private give({ client, redirect, challenge, scopes }: Asked, account: string): string {
    const random = new Random(this.state.random);
    const code = `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
    this.state.random = random.state;
    const expiresAt = this.clock.now() + lifetime;
    this.state.codes[code] = { client, redirect, challenge, account, scope: scopes.join(' '), expiresAt };
    return code;
  }
}

/** The S256 challenge of a verifier. */
function challengeOf(verifier: string): string {
  const { sha256 } = checksumsOf(new TextEncoder().encode(verifier));
  const bytes = sha256.match(/../g)!.map((pair) => Number.parseInt(pair, 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

function isAllowed(redirect: string): boolean {
  if (!URL.canParse(redirect)) return false;
  const { protocol, hostname, hash } = new URL(redirect);
  const local = protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return hash === '' && (protocol === 'https:' || local);
}

function back({ redirect, state }: Asked, outcome: Readonly<Record<string, string>>): VendorReply {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries({ ...outcome, ...(state !== null && { state }) })) {
    url.searchParams.set(name, value);
  }
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter]!);

const page = (status: number, title: string, inside: string): VendorReply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  body: `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)} (sandbox)</title>
<h1>${escaped(title)} (sandbox)</h1>
${inside}
</html>`,
});
