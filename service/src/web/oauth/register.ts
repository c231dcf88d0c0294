import { networkOf } from '../../domain/limits/addresses.js';
import { appMetadata } from '../../domain/oauth/app-metadata.js';
import { readJson } from '../api/input.js';
import type { OAuthDependencies, OAuthRequest } from './dependencies.js';

const maxBytes = 16 * 1024;

/** Dynamic client registration (RFC 7591). Open to anyone, because users judge the app's claims themselves. */
export const registerHandler =
  ({ services: { state } }: OAuthDependencies) =>
  async ({ request, address = 'unknown', admission }: OAuthRequest): Promise<Response> => {
    await admission.admitAnonymous();
    await admission.countAttempt('oauth register');
    const metadata = appMetadata(await readJson(request, maxBytes, admission.reserveBytes), 'client_secret_basic');
    const { app, secret } = await state.oauthApps.register(metadata, networkOf(address));
    return Response.json(
      {
        client_id: app.id,
        client_id_issued_at: Math.floor(app.createdAt / 1000),
        ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
        client_name: app.name,
        redirect_uris: app.redirectUris,
        token_endpoint_auth_method: app.authMethod,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
      { status: 201 },
    );
  };
