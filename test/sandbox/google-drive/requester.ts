import type { Sandbox } from 'agent-connectors-sandbox';

/** A response that has been read. */
export interface Reply {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  text: string;
  /** The body as JSON, or undefined if it is not JSON. */
  json: any;
  /** The reason in an error response. */
  reason: string | undefined;
}

/** Returns a function that sends requests to Drive with one access token. */
export function createRequester(
  sandbox: Pick<Sandbox, 'fetch'>,
  token = 'ya29.sandbox-drive-access-token',
  base = 'https://www.googleapis.com',
) {
  return async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    return readReply(await sandbox.fetch(path.startsWith('http') ? path : `${base}${path}`, { ...init, headers }));
  };
}

/** Reads a response to its end. */
export async function readReply(response: Response): Promise<Reply> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && /^\s*[[{][\s\S]*[\]}]\s*$/.test(text);
  const json = isJson ? JSON.parse(text) : undefined;
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    json,
    reason: json?.error?.errors?.[0]?.reason,
  };
}

/** An access token for one of the refreshable credentials. */
export async function tokenOf(
  sandbox: Sandbox,
  name: 'oauth' | 'read_only' | 'metadata_readonly' | 'drive_file' | 'administrator',
) {
  const body = new URLSearchParams({
    ...sandbox.vendors['google-drive'].credentials[name],
    grant_type: 'refresh_token',
  });
  const response = await sandbox.fetch('https://oauth2.googleapis.com/token', { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** The path of files.list with a query. */
export function list(parameters: Record<string, string>): string {
  return `/drive/v3/files?${new URLSearchParams(parameters)}`;
}

/** Returns a function that looks up a file's id by its name. */
export function createFinder(ask: ReturnType<typeof createRequester>) {
  return async (name: string): Promise<string> => {
    const q = `name = '${name.replace(/['\\]/g, '\\$&')}'`;
    const everywhere = { includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' };
    return (await ask(list({ q, ...everywhere }))).json.files[0].id;
  };
}

/** A write with a JSON body. */
export function jsonRequest(method: string, body: unknown): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** A multipart/related body in the format that clients use. */
export function multipart(
  metadata: unknown,
  mimeType: string,
  content: Uint8Array | string,
  boundary = 'b-1',
): RequestInit {
  const encoder = new TextEncoder();
  const bytes = typeof content === 'string' ? encoder.encode(content) : content;
  const before = `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(metadata)}\r\n--${boundary}\r\nContent-Type: ${mimeType}\r\n\r\n`;
  const parts = [encoder.encode(before), bytes, encoder.encode(`\r\n--${boundary}--`)];
  const body = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return { method: 'POST', headers: { 'content-type': `multipart/related; boundary=${boundary}` }, body };
}
