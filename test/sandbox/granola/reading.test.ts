import { describe, expect, it } from 'vitest';
import { allNotes, createRequester, fullNotes, unlimitedSandbox } from './requester.js';

const ask = createRequester(unlimitedSandbox());
const _minute = 60_000;

describe('one note', () => {
  it('is the list row plus all other fields, without a wrapper', async () => {
    const [row] = await allNotes(ask);
    const { status, body } = await ask(`/v1/notes/${row.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject(row);
    expect(Object.keys(body).sort()).toEqual(
      ['attendees', 'calendar_event', 'created_at', 'folder_membership', 'id', 'object', 'owner']
        .concat(['private_notes_markdown', 'private_notes_text', 'space_membership', 'summary_markdown'])
        .concat(['summary_text', 'title', 'transcript', 'updated_at', 'web_url']),
    );
    expect(body.web_url).toMatch(/^https:\/\/notes\.granola\.ai\/d\/[0-9a-f-]{36}$/);
    expect(body.transcript).toBeNull();
    expect(body.space_membership).toEqual([expect.objectContaining({ object: 'space' })]);
  });

  it('occurs in every observed form', async () => {
    const notes = (await fullNotes(ask)).map(({ body }) => body);
    const events = notes.flatMap((note) => note.calendar_event ?? []);
    expect(events.length).toBeLessThan(notes.length);
    const organisers = events.map(({ organiser }) => (organiser === null ? 'null' : typeof organiser));
    expect(new Set(organisers)).toEqual(new Set(['string', 'object', 'null']));
    for (const event of events) {
      expect(Object.keys(event).sort()).toEqual([
        'calendar_event_id',
        'event_title',
        'invitees',
        'organiser',
        'scheduled_end_time',
        'scheduled_start_time',
      ]);
      expect(Date.parse(event.scheduled_end_time)).toBeGreaterThan(Date.parse(event.scheduled_start_time));
    }
    const forms = {
      'no title': notes.some(({ title }) => title === null),
      'no attendees': notes.some(({ attendees }) => attendees.length === 0),
      'attendee without a name': notes.some(({ attendees }) => attendees.some((one: any) => one.name === null)),
      'no markdown': notes.some((note) => note.summary_markdown === null && note.summary_text.length > 0),
      'private notes': notes.some((note) => note.private_notes_text !== null),
      'no folder': notes.some((note) => note.folder_membership.length === 0),
      'two folders': notes.some((note) => note.folder_membership.length === 2),
    };
    expect(Object.entries(forms).filter(([, isThere]) => !isThere)).toEqual([]);
    for (const folder of notes.flatMap((note) => note.folder_membership)) {
      expect(Object.keys(folder).sort()).toEqual(['id', 'name', 'object', 'parent_folder_id', 'space_id']);
    }
  });

  it('covers the same company as Linear', async () => {
    const sandbox = unlimitedSandbox();
    const response = await sandbox.fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers: {
        authorization: sandbox.vendors.linear.credentials.api_key.api_key,
        'content-type': 'application/json',
      },
      body: '{"query":"{ users(first: 50) { nodes { email } } projects(first: 50) { nodes { name } } }"}',
    });
    const { users, projects } = ((await response.json()) as any).data;
    const emails = new Set(users.nodes.map(({ email }: any) => email));
    const notes = (await fullNotes(ask)).map(({ body }) => body);
    for (const { owner } of notes) expect(emails).toContain(owner.email);
    const texts = notes.map((note) => note.summary_text).join('\n');
    const known = projects.nodes.filter(({ name }: any) => texts.includes(name));
    expect(known.length).toBeGreaterThan(5);
  });

  it.each(['summary', ''])('rejects %j in include', async (include) => {
    const [row] = await allNotes(ask);
    const message = 'Invalid literal value, expected "transcript"';
    expect(await ask(`/v1/notes/${row.id}`, { include })).toMatchObject({ status: 400, body: { message } });
  });

  it('returns 404 for an unknown id and rejects an invalid one', async () => {
    const unknown = await ask('/v1/notes/not_00000000000000');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', message: 'Note not found' } });
    for (const id of ['1b4e28ba-2fa1-4d21-883f-0016d3cca427', 'not_short', 'not_1d3tmYTlCICgjy%2F..', '%E0%A4%A']) {
      expect((await ask(`/v1/notes/${id}`)).status, id).toBe(400);
    }
    expect((await ask('/v1/notes/not_00000000000000/summary')).status).toBe(404);
    expect((await ask('/v1/meetings')).status).toBe(404);
  });
});
