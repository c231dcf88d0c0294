import type { SandboxClock } from './clock.js';
import { type AuthorizationGrant, type CodeError, Consent, type ConsentOptions, type ConsentState } from './consent.js';
import { Random } from './random.js';
import type { VendorReply, VendorRequest } from './vendor.js';

/** Tokens and unredeemed codes as plain JSON. */
export interface OAuthState<Access, Refresh> {
  access: Record<string, Access>;
  refresh: Record<string, Refresh>;
  consent: ConsentState;
  random: number;
}

/** A vendor's consent page and the tokens it has issued. */
export class IssuedTokens<Access extends { expiresAt: number }, Refresh> {
  state: OAuthState<Access, Refresh>;
  protected readonly clock: SandboxClock;
  private readonly consent: Consent;

  constructor(
    clock: SandboxClock,
    seed: number,
    consent: ConsentOptions,
    tokens: Omit<OAuthState<Access, Refresh>, 'consent'>,
  ) {
    this.clock = clock;
    this.consent = new Consent(clock, seed, consent);
    this.state = { ...tokens, consent: this.consent.state };
  }

  expireTokens(): void {
    this.state.access = {};
  }

  /** Returns false if there is no such token. */
  revoke(secret: string): boolean {
    const isKnown = Object.hasOwn(this.state.access, secret) || Object.hasOwn(this.state.refresh, secret);
    delete this.state.access[secret];
    delete this.state.refresh[secret];
    return isKnown;
  }

  /** Handles the consent page. */
  answerConsent(request: VendorRequest): VendorReply {
    this.consent.state = this.state.consent;
    return this.consent.answer(request);
  }

  protected accessToken(token: string): Access | undefined {
    const entry = Object.hasOwn(this.state.access, token) ? this.state.access[token] : undefined;
    return entry && entry.expiresAt > this.clock.now() ? entry : undefined;
  }

  protected refreshToken(token: string): Refresh | undefined {
    return Object.hasOwn(this.state.refresh, token) ? this.state.refresh[token] : undefined;
  }

  /** Redeems the code of a token request. */
  protected redeemCode(params: URLSearchParams, client: string): AuthorizationGrant | CodeError {
    this.consent.state = this.state.consent;
    return this.consent.redeem(params.get('code') ?? '', {
      client,
      redirect: params.get('redirect_uri') ?? '',
      verifier: params.get('code_verifier'),
    });
  }

  /** New random texts of 32 characters. */
  protected randomTexts(count: number): string[] {
    const random = new Random(this.state.random);
    const texts = Array.from({ length: count }, () => random.uuid().replaceAll('-', ''));
    this.state.random = random.state;
    return texts;
  }
}
