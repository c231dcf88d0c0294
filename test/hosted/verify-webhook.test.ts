import { verifyWebhook } from 'agent-connectors/hosted';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';

const secret = `whsec_${btoa('a secret of twenty-four b')}`;
const body = JSON.stringify({ type: 'webhook.test', timestamp: '2026-05-01T00:00:00.000Z', data: {} });
const sentAt = new Date('2026-05-01T00:00:00.000Z');
const now = sentAt.getTime();
const headers = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(now / 1000),
  'webhook-signature': new Webhook(secret).sign('msg_1', sentAt, body),
};
const messageOf = async (received: Parameters<typeof verifyWebhook>[0], at = now) => {
  const { code, message } = await failure(verifyWebhook(received, body, { secret, now: at }));
  return [code, message];
};

describe('the headers of a webhook', () => {
  it.each<[string, Parameters<typeof verifyWebhook>[0]]>([
    ['Headers', new Headers(headers)],
    ['a plain object, as in Node', { ...headers, host: 'example.com', 'set-cookie': ['a', 'b'] }],
    ['a plain object in any case', Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toUpperCase(), v]))],
    ['a plain object with arrays', Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, [v]]))],
  ])('can be %s', async (_, received) => {
    expect(await verifyWebhook(received, body, { secret, now })).toMatchObject({ type: 'webhook.test' });
  });

  it.each(Object.keys(headers))('must include %s', async (name) => {
    const { [name as keyof typeof headers]: _, ...rest } = headers;
    const expected = ['unauthorized', `The request has no ${name} header, so it is not a webhook.`];
    expect(await messageOf(rest)).toEqual(expected);
    expect(await messageOf({ ...rest, [name]: undefined })).toEqual(expected);
    expect(await messageOf(new Headers(rest))).toEqual(expected);
  });

  it('must contain a current time in seconds', async () => {
    expect(await messageOf(headers, now + 301_000)).toEqual(['unauthorized', 'The webhook is too old.']);
    expect(await messageOf(headers, now - 301_000)).toEqual([
      'unauthorized',
      'The webhook is dated in the future. Check the clock of this machine.',
    ]);
    for (const timestamp of ['2026-05-01', 'Infinity', '-1', '0x10'])
      expect(await messageOf({ ...headers, 'webhook-timestamp': timestamp })).toEqual([
        'unauthorized',
        'The webhook-timestamp header is not a number of seconds.',
      ]);
  });

  it('must be signed with the secret', async () => {
    const expected = ['unauthorized', 'The webhook is not signed with this secret.'];
    expect(await messageOf({ ...headers, 'webhook-id': 'msg_2' })).toEqual(expected);
  });
});
