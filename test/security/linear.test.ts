import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, test } from 'vitest';
import { formatReadable } from '../../src/cli/output/printer.js';
import { failure } from '../failure.js';
import { toolsOf } from '../tools/setup.js';
import { shelf } from '../tools/shelf.js';

/** Long enough that an expression that runs in quadratic time takes minutes. */
const many = 1_000_000;

const noFetch = async () => expect.unreachable('nothing may be sent');
const refused = (make: () => unknown) => failure(make);

describe('adversarial text is processed in linear time', () => {
  test('as a media type', async () => {
    const drive = new GoogleDriveConnector({ credentials: { access_token: 't' }, fetch: noFetch });
    const upload = (file_mime_type: string) =>
      failure(drive.execute('files_upload', 'create', { name: 'n', file_content: 'eA==', file_mime_type }));
    for (const type of [`a${';a'.repeat(many)}\n`, `a${'; a'.repeat(many)} `]) {
      expect((await upload(type)).code).toBe('invalid_params');
    }
  });

  test("as a customer's URL", async () => {
    for (const base_url of [`https://x.gong.io${'/'.repeat(many)}x`, `https://x.gong.io/${'x/'.repeat(many)}x`]) {
      const credentials = { access_key: 'k', access_key_secret: 's', base_url };
      expect((await refused(() => new GongConnector({ credentials, fetch: noFetch }))).code).toBe(
        'invalid_credentials',
      );
    }
  });

  test.each([
    ['escaped quotes that are never closed', '\\"'.repeat(many)],
    ['backslashes', `"${'\\'.repeat(many)}\n`],
    ['a key of spaces', JSON.stringify(keyFile(`-----BEGIN PRIVATE KEY-----${' '.repeat(many)}-`))],
    ['a key without its end', JSON.stringify(keyFile(`-----BEGIN ${'A '.repeat(many)}`))],
  ])('as a service account consisting of %s', async (_, credentials_json) => {
    const error = await refused(
      () => new GoogleAnalyticsConnector({ credentials: { credentials_json }, fetch: noFetch }),
    );
    expect(error.code).toBe('invalid_credentials');
  });

  test('as a documentation section requested by an agent', async () => {
    const { docs } = toolsOf(shelf(() => null).connector);
    for (const section of [`x${'"'.repeat(many)}x`, `x${' '.repeat(many)}x`]) {
      expect((await docs.run({ section })).text).toContain('Unknown section');
    }
  });

  test('as a table cell', async () => {
    const plain = (text: string) => text;
    const colours = {
      bold: plain,
      dim: plain,
      red: plain,
      green: plain,
      yellow: plain,
      link: plain,
      isTerminal: false,
    };
    const name = `a${'\u0301'.repeat(many)}${'b'.repeat(60)}`;
    expect(await formatReadable([{ name }], 80, colours)).toMatch(/b{46}…\n$/);
  });
});

function keyFile(private_key: string) {
  return { type: 'service_account', client_email: 'a@b.iam.gserviceaccount.com', private_key, token_uri: undefined };
}
