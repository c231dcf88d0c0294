import type { ConsoleSessions } from '../../data/state/console-sessions.js';
import type { RequestAdmission } from '../../domain/limits/admission.js';
import type { MetadataDocument } from '../../domain/oauth/metadata-document.js';
import type { Services } from '../api/route.js';
import type { BaseAddress } from './base-address.js';

/** What signing in with OAuth works with. */
export interface OAuthDependencies {
  readonly services: Pick<Services, 'state' | 'tokens' | 'attempts' | 'now' | 'report' | 'definitions'>;
  readonly sessions: ConsoleSessions;
  readonly base: BaseAddress;
  /** The address that browsers reach the service at, where the operator has set it. */
  readonly publicUrl: string | undefined;
  /** Whether the MCP server lets anybody change data. */
  readonly mcpAllowWrites: boolean;
  readonly readDocument: (id: string, clientId: string) => Promise<MetadataDocument>;
}

/** One request, and what is known of it. */
export interface OAuthRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly address: string | undefined;
  readonly admission: Pick<
    RequestAdmission,
    'admitSignIn' | 'admitAnonymous' | 'countAttempt' | 'countWrongSecret' | 'reserveBytes'
  >;
}
