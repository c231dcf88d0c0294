import type { ConsoleSessions } from '../../data/state/console-sessions.js';
import type { RequestAdmission } from '../../domain/limits/admission.js';
import type { MetadataDocument } from '../../domain/oauth/metadata-document.js';
import type { Services } from '../api/route.js';
import type { BaseAddress } from './base-address.js';

/** Dependencies of OAuth. */
export interface OAuthDependencies {
  readonly services: Pick<Services, 'state' | 'tokens' | 'attempts' | 'storage' | 'now' | 'report' | 'definitions'>;
  readonly sessions: ConsoleSessions;
  readonly base: BaseAddress;
  /** The URL for browsers, if configured. */
  readonly publicUrl: string | undefined;
  /** Whether the MCP server allows changes. */
  readonly mcpAllowWrites: boolean;
  /** Reads a client id metadata document; undefined if apps have to register. */
  readonly readDocument: ((id: string, clientId: string) => Promise<MetadataDocument>) | undefined;
}

/** A request and its context. */
export interface OAuthRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly address: string | undefined;
  readonly admission: Pick<
    RequestAdmission,
    'admitSignIn' | 'admitAnonymous' | 'countAttempt' | 'countWrongSecret' | 'reserveBytes'
  >;
}
