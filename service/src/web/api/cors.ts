import { loopbackNames } from '../../common/loopback.js';

/** CORS headers that let pages on other hosts read a response. */
export type Cors = (request: Request) => Readonly<Record<string, string>>;

const forwarded = /^(authorization|content-type|accept|last-event-id|mcp-[\w-]+|x-workspace|x-organization-id)$/;

/** Allows pages on these hosts (by default, only this machine) but never accepts cookies from them. */
export function corsFor(allowedOrigins: readonly string[] = loopbackNames): Cors {
  const allowed = new Set(allowedOrigins);
  return ({ method, headers }) => {
    const origin = headers.get('origin');
    if (origin === null || !URL.canParse(origin) || !allowed.has(new URL(origin).hostname)) return { vary: 'Origin' };
    const requested = headers.get('access-control-request-headers')?.toLowerCase().split(',') ?? [];
    const permitted = requested.map((name) => name.trim()).filter((name) => forwarded.test(name));
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id, Retry-After',
      ...(method === 'OPTIONS' && {
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers': permitted.join(', '),
        'access-control-max-age': '600',
      }),
    };
  };
}
