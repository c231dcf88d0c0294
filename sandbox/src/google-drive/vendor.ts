import type { FaultRule } from '../faults.js';
import { tokensOf } from '../google/accounts.js';
import {
  type GoogleDriveCredentials,
  type GooglePickerSettings,
  googleDriveCredentials,
  googlePicker,
} from '../google/drive-credentials.js';
import { notFoundPage, parseForm } from '../google/http.js';
import { scopesOf } from '../google/scopes.js';
import { bearerOf, type GoogleTokens, type TokenGrant, type TokenState } from '../google/token.js';
import { seedOnce } from '../seed-once.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import type { DriveContext, GoogleDriveLimits } from './context.js';
import { personForAccount, personForKey } from './context.js';
import { apiErrors, DriveApiError, errorForReason, refusals } from './errors.js';
import { answerPicker, pickerScript, pickerScriptPath } from './picker.js';
import { matchRoute, requiredScopes } from './routes.js';
import { owner } from './seed/builder.js';
import { seedDrive } from './seed/drive.js';
import { continueUpload, sessionNotFound, uploadOf } from './sessions.js';
import { syncFolder } from './sync.js';
import { DriveWorld, type WorldDump } from './world.js';

/** Public interface of the Google Drive emulation. */
export interface GoogleDriveHandle {
  /** Base path of the vendor's API on a sandbox server. */
  path: '/google-drive';
  /** Accepted credentials, by purpose. */
  credentials: GoogleDriveCredentials;
  /** Settings that the picker accepts. */
  picker: Readonly<GooglePickerSettings>;
  /** Lowers Drive's limits. */
  limits: GoogleDriveLimits;
  /** Reasons of the fault `refused`. */
  refusals: readonly string[];
}

interface GoogleDriveDump {
  world: WorldDump;
  tokens: TokenState;
  limits: GoogleDriveLimits;
}

const worldOf = seedOnce(seedDrive, (world) => world.copy());

/** Google Drive, at https://www.googleapis.com. */
export const googleDrive: Vendor<GoogleDriveHandle> = {
  origins: [
    'https://www.googleapis.com/drive/v3',
    'https://www.googleapis.com/upload/drive/v3',
    'https://oauth2.googleapis.com/token',
    'https://oauth2.googleapis.com/revoke',
    'https://accounts.google.com',
  ],
  create: (context) => new GoogleDrive(context),
};

class GoogleDrive implements VendorInstance<GoogleDriveHandle> {
  readonly handle: GoogleDriveHandle;
  private readonly context: VendorContext;
  private cachedWorld: DriveWorld | undefined;
  private readonly tokens: GoogleTokens;
  private limits: GoogleDriveLimits = {};

  constructor(context: VendorContext) {
    this.context = context;
    this.tokens = tokensOf(context);
    const vendor = this;
    this.handle = {
      path: '/google-drive',
      credentials: structuredClone(googleDriveCredentials),
      picker: { ...googlePicker },
      refusals: Object.keys(refusals),
      get limits() {
        return vendor.limits;
      },
      set limits(limits) {
        vendor.limits = { ...limits };
      },
    };
  }

  notes(request: VendorRequest): RequestNotes {
    return this.tokens.notes(request, loggableBody);
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply | Promise<VendorReply> {
    const tokenReply = this.tokens.answer(request, fault);
    if (tokenReply) return tokenReply;
    if (request.path === pickerScriptPath) return pickerScript();
    if (request.path === '/picker') return this.showPicker(request);
    try {
      if (fault?.kind !== '500') return this.execute(request, fault);
      if (fault.applied) this.execute(request, undefined);
      throw errorForReason(fault.reason ?? 'internalError', 500);
    } catch (error) {
      if (error instanceof DriveApiError) return error.toReply(request.search.get('prettyPrint') !== 'false');
      throw error;
    }
  }

  expireTokens(): void {
    this.tokens.expireTokens();
  }

  revoke(secret: string): void {
    this.tokens.revoke(secret);
  }

  reset(): void {
    this.cachedWorld = undefined;
    this.tokens.reset();
    this.limits = {};
  }

  dump(): GoogleDriveDump {
    return { world: this.world.dump(), ...structuredClone({ tokens: this.tokens.state, limits: this.limits }) };
  }

  load(state: unknown): void {
    const dump = state as GoogleDriveDump;
    this.reset();
    this.cachedWorld = DriveWorld.load(dump.world);
    this.tokens.state = structuredClone(dump.tokens);
    this.limits = { ...dump.limits };
  }

  private execute(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const { path, method, search } = request;
    const isSession = path.startsWith('/upload/drive/v3/files') && search.has('upload_id');
    if (isSession && (method === 'PUT' || method === 'POST')) return this.continueUpload(request, fault);
    const match = matchRoute(method, path);
    if (!match) return notFoundPage(path);
    const context = this.contextOf(request, fault);
    this.throwInjectedFault(fault);
    if (!requiredScopes(match.route, search).some((scope) => context.scopes.has(scope))) {
      throw apiErrors.scope(match.route.name);
    }
    return match.route.answer(context, ...match.parts);
  }

  private showPicker(request: VendorRequest): VendorReply {
    const form = parseForm(request);
    const grant = this.tokens.grant(form.get('access_token') ?? '');
    return answerPicker(
      request,
      form,
      grant && { ...grant, context: this.contextFor(grant, request, form, undefined) },
    );
  }

  /** Anyone with an upload's URL can continue it. */
  private continueUpload(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const { search } = request;
    const upload = uploadOf({ world: this.world, search, now: this.context.clock.now() });
    if (!upload) throw sessionNotFound();
    this.throwInjectedFault(fault);
    const grant = { label: upload.grant, scope: 'drive', account: upload.account };
    return continueUpload(this.contextFor(grant, request, new URLSearchParams(upload.search), fault), upload);
  }

  private throwInjectedFault(fault: FaultRule | undefined): void {
    if (fault?.kind === 'expired_token') throw apiErrors.badToken();
    if (fault?.kind === 'internal_error') throw errorForReason('internalError', 500);
    if (fault?.kind === 'refused') throw errorForReason(fault.reason ?? 'forbidden', fault.status, fault.retryAfter);
    if (fault?.kind !== 'rate_limited') return;
    const status = fault.status ?? 403;
    const defaultReason = status === 429 ? 'rateLimitExceeded' : 'userRateLimitExceeded';
    throw errorForReason(fault.reason ?? defaultReason, status, fault.retryAfter);
  }

  private contextOf(request: VendorRequest, fault: FaultRule | undefined): DriveContext {
    const isDownload = request.search.get('alt') === 'media' || request.path.endsWith('/export');
    const token = bearerOf(request.headers);
    if (token === undefined) {
      throw isDownload && request.method === 'GET' ? apiErrors.noKey() : apiErrors.noToken(request.method === 'GET');
    }
    const grant = this.tokens.grant(token);
    if (!grant) throw apiErrors.badToken();
    return this.contextFor(grant, request, request.search, fault);
  }

  private contextFor(
    grant: Pick<TokenGrant, 'label' | 'scope' | 'account'>,
    request: VendorRequest,
    search: URLSearchParams,
    fault: FaultRule | undefined,
  ): DriveContext {
    const { clock, driveFolder } = this.context;
    const person = personForAccount(grant.account).key;
    const context: DriveContext = {
      world: this.world,
      request,
      search,
      person,
      fault,
      grant: grant.label,
      scopes: scopesOf(grant.scope),
      isAdministrator: personForKey(person).admin === true,
      now: clock.now(),
      limits: this.limits,
      folder: driveFolder && person === owner ? driveFolder : undefined,
    };
    if (context.folder) syncFolder(context, context.folder);
    return context;
  }

  private get world(): DriveWorld {
    this.cachedWorld ??= this.context.driveFolder ? seedDrive(this.context) : worldOf(this.context);
    return this.cachedWorld;
  }
}

/** The loggable part of a request body: JSON unchanged, other content only as its size. */
function loggableBody(request: VendorRequest): unknown {
  const { bytes, headers } = request;
  if (bytes.length === 0) return null;
  const contentType = headers.get('content-type') ?? '';
  const size = { contentType, bytes: bytes.length };
  if (/^multipart\/related/i.test(contentType)) {
    const start = new TextDecoder().decode(bytes.subarray(0, 65_536));
    const metadata = /\r\n\r\n(.*?)\r\n--/s.exec(start)?.[1];
    return { metadata: metadata === undefined ? null : parseJson(metadata), ...size };
  }
  return /^application\/json/i.test(contentType) && bytes.length < 1_000_000 ? parseJson(request.body) : size;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return '<unreadable>';
  }
}
