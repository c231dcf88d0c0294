import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, jsonRequest, list } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
beforeEach(() => sandbox.reset());

describe('comments and replies', () => {
  const all = '?fields=*&pageSize=100';

  it('are returned twenty at a time, newest first, with their replies', async () => {
    const id = await find('Kick-off notes');
    const busy = (
      await Promise.all(
        (
          await ask(list({ q: "name = 'Kick-off notes'" }))
        ).json.files.map(async (file: any) => ({
          id: file.id,
          page: (await ask(`/drive/v3/files/${file.id}/comments?fields=*`)).json,
        })),
      )
    ).find(({ page }) => page.nextPageToken)!;
    expect(id).toEqual(expect.any(String));
    expect(busy.page.comments).toHaveLength(20);
    const times = busy.page.comments.map(({ modifiedTime }: any) => modifiedTime);
    expect(times).toEqual([...times].sort().reverse());
    const next = await ask(
      `/drive/v3/files/${busy.id}/comments?fields=*&pageToken=${encodeURIComponent(busy.page.nextPageToken)}`,
    );
    expect(next.json.comments).toHaveLength(5);
    const resolved = next.json.comments.find((comment: any) => comment.resolved);
    expect(resolved).toMatchObject({
      kind: 'drive#comment',
      author: { kind: 'drive#user', displayName: 'Tomás Aguirre', me: false },
      quotedFileContent: { mimeType: 'text/html', value: expect.any(String) },
    });
    expect(resolved.author).not.toHaveProperty('emailAddress');
    expect(resolved.replies[0]).toMatchObject({
      content: 'Yes, they said so <again> on Tuesday.',
      htmlContent: 'Yes, they said so &lt;again&gt; on Tuesday.',
    });
    expect(resolved.replies.at(-1)).toMatchObject({ action: 'resolve' });
  });

  it('can be filtered by time', async () => {
    const id = await find('screen-login.png');
    const { comments } = (await ask(`/drive/v3/files/${id}/comments${all}`)).json;
    expect(comments).toHaveLength(1);
    const since = async (time: string) =>
      (await ask(`/drive/v3/files/${id}/comments${all}&startModifiedTime=${encodeURIComponent(time)}`)).json.comments;
    expect(await since(comments[0].modifiedTime)).toHaveLength(1);
    expect(await since('2026-05-04T00:00:00Z')).toEqual([]);
    expect(await ask(`/drive/v3/files/${id}/comments${all}&startModifiedTime=then`)).toMatchObject({
      status: 400,
      reason: 'invalid',
    });
  });

  it('are created, replied to and resolved', async () => {
    const file = `/drive/v3/files/${await find('rates.json')}/comments`;
    const quotedFileContent = { value: '0.94' };
    const made = (
      await ask(
        `${file}?fields=*`,
        jsonRequest('POST', { content: 'Is it <right>?\nReally?', anchor: 'a', quotedFileContent }),
      )
    ).json;
    expect(made).toMatchObject({
      htmlContent: 'Is it &lt;right&gt;?<br>Really?',
      anchor: 'a',
      quotedFileContent,
      replies: [],
    });
    sandbox.clock.advance(1000);
    const replies = `${file}/${made.id}/replies`;
    const reply = (await ask(`${replies}?fields=id,action`, jsonRequest('POST', { action: 'resolve' }))).json;
    expect(reply.action).toBe('resolve');
    expect((await ask(`${replies}/${reply.id}?fields=*`)).json).toMatchObject({ kind: 'drive#reply', deleted: false });
    const after = (await ask(`${file}/${made.id}?fields=resolved,modifiedTime,replies(id)`)).json;
    expect(after).toEqual({ resolved: true, modifiedTime: '2026-05-04T12:00:01.000Z', replies: [{ id: reply.id }] });
    expect(await ask(`${file}?fields=*`, jsonRequest('POST', {}))).toMatchObject({ status: 400, reason: 'required' });
  });

  it('paginate their replies, omitting the deleted one', async () => {
    const files = (await ask(list({ q: "name = 'Kick-off notes'" }))).json.files;
    for (const { id } of files) {
      for (const comment of (await ask(`/drive/v3/files/${id}/comments${all}`)).json.comments) {
        if (comment.replies.length < 20) continue;
        const path = `/drive/v3/files/${id}/comments/${comment.id}/replies?fields=*`;
        const first = (await ask(path)).json;
        const second = (await ask(`${path}&pageToken=${encodeURIComponent(first.nextPageToken)}`)).json;
        expect([first.replies.length, second.replies.length]).toEqual([20, 2]);
        expect((await ask(`${path}&includeDeleted=true&pageSize=100`)).json.replies).toHaveLength(23);
        expect(comment).toMatchObject({
          assigneeEmailAddress: 'ines.carvalho@fernhill.example',
          mentionedEmailAddresses: ['ines.carvalho@fernhill.example'],
        });
        return;
      }
    }
    expect.unreachable('no comment has twenty replies');
  });

  it('return 404 if missing', async () => {
    const id = await find('rates.json');
    expect((await ask(`/drive/v3/files/${id}/comments/x?fields=*`)).json.error.message).toBe('Comment not found: x.');
    expect((await ask(`/drive/v3/files/x/comments?fields=*`)).json.error.message).toBe('File not found: x.');
  });
});
