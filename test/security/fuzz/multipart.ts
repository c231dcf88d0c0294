import { ConnectorError } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import fc from 'fast-check';
import { expect } from 'vitest';
import { readMultipart } from '../../../sandbox/src/google-drive/upload.js';
import { check, type Fuzz } from './run.js';
import { texts } from './values.js';

const lines = fc.array(
  fc.oneof(
    fc.constantFrom('\r\n', '\n', '\r', '--', '\r\n--', '\r\n\r\n', 'Content-Type: text/html', '----', '\0', '}'),
    texts,
  ),
  { maxLength: 8 },
);

const contents = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some)),
  lines.map((parts) => Buffer.from(parts.join(''))),
);

const types = fc.oneof(
  { arbitrary: fc.constantFrom('text/plain', 'text/plain; charset=utf-8', 'application/octet-stream'), weight: 2 },
  { arbitrary: texts, weight: 2 },
  { arbitrary: texts.map((text) => `text/plain${text}`), weight: 1 },
);

const uploads = fc.record({
  name: fc.oneof(
    texts,
    lines.map((parts) => parts.join('')),
  ),
  description: texts,
  content: contents,
  file_mime_type: types,
});

/** Another parser reads the uploaded content exactly as it was given, whatever its text and bytes. */
export const multipartBodies: Fuzz = async (count) => {
  let body: { type: string; bytes: Uint8Array } | undefined;
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    const content = init?.body as Blob;
    const type = new Headers(init?.headers).get('content-type') ?? '';
    body = { type, bytes: new Uint8Array(await content.arrayBuffer()) };
    return Response.json({ id: 'made' });
  };
  const drive = new GoogleDriveConnector({ credentials: { access_token: 'token' }, fetch });
  let accepted = 0;
  await check(count, uploads, async ({ name, description, content, file_mime_type }) => {
    body = undefined;
    const file = { name, description, file_content: content.toString('base64'), file_mime_type };
    const outcome = await drive.files_upload.create(file).catch((error: unknown) => error);
    if (ConnectorError.is(outcome)) {
      expect([outcome.code, body]).toEqual(['invalid_params', undefined]);
      return;
    }
    if (outcome instanceof Error) throw outcome;
    accepted += 1;
    const { metadata, media } = readMultipart(body!.type, body!.bytes);
    expect(metadata).toEqual({ name, description });
    expect(media.mimeType).toBe(file_mime_type);
    expect(Buffer.from(media.bytes).equals(content)).toBe(true);
  });
  expect(accepted).toBeGreaterThan(count / 5);
};
