import { beforeAll, describe, expect, it } from 'vitest';
import { allPages, createRequester, fullNotes, type Reply, unlimitedSandbox } from './requester.js';

const ask = createRequester(unlimitedSandbox());
let answers: Reply[];
let long: string;
beforeAll(async () => {
  answers = await fullNotes(ask, { include: 'transcript' });
  const plain = await fullNotes(ask);
  long = plain[answers.findIndex(({ status }) => status === 413)]!.body.id;
});
const transcripts = () => answers.filter(({ status }) => status === 200).map(({ body }) => body.transcript);

describe('transcripts', () => {
  it('are included in their note, with twenty to two hundred turns', () => {
    expect(transcripts()).toHaveLength(59);
    for (const transcript of transcripts()) {
      expect(transcript.length).toBeGreaterThanOrEqual(20);
      expect(transcript.length).toBeLessThanOrEqual(200);
    }
    expect(Math.max(...transcripts().map(({ length }) => length))).toBeGreaterThan(150);
  });

  it('have absolute timestamps that increase and stay within the meeting', () => {
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      let last = body.created_at;
      for (const { start_time, end_time } of body.transcript) {
        expect(start_time >= last && end_time >= start_time).toBe(true);
        last = end_time;
      }
      expect(last <= body.updated_at).toBe(true);
    }
  });

  it('identify speakers fully, partly or not at all, and on a phone only by microphone', () => {
    const kinds = transcripts().map((transcript) => {
      const speakers = transcript.map(({ speaker }: any) => speaker);
      if (speakers.some((speaker: any) => speaker.name)) return 'named';
      if (speakers.some((speaker: any) => speaker.attribution)) return 'attributed';
      if (speakers.some((speaker: any) => speaker.diarization_label)) {
        expect(speakers.every((speaker: any) => speaker.source === 'microphone')).toBe(true);
        return 'telephone';
      }
      return 'bare';
    });
    expect(new Set(kinds)).toEqual(new Set(['named', 'attributed', 'telephone', 'bare']));
    const turns = transcripts().flat();
    expect(turns.find(({ speaker }) => speaker.attribution === 'me')?.speaker.source).toBe('microphone');
    expect(turns.find(({ speaker }) => speaker.attribution === 'them')?.speaker.source).toBe('speaker');
  });

  it('contain everything in the summary', () => {
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      const said = body.transcript.map(({ text }: any) => text);
      for (const [, point] of body.summary_text.split('Next steps')[0].matchAll(/^- (.+)$/gm)) {
        expect(said).toContain(point);
      }
    }
  });

  it('are the same on every request', async () => {
    const { id, transcript } = answers[0]!.body;
    const again = await ask(`/v1/notes/${id}`, { include: 'transcript' });
    expect(again.body.transcript).toEqual(transcript);
    const pages = await allPages(ask, `/v1/notes/${id}/transcript`, { page_size: 9 });
    expect(pages.flatMap((page) => page.transcript)).toEqual(transcript);
  });

  it('are too large to include after a full day of planning, but can be paginated', async () => {
    const refused = await ask(`/v1/notes/${long}`, { include: 'transcript' });
    expect(refused).toMatchObject({ status: 413, body: { code: 'TRANSCRIPT_TOO_LARGE' } });
    expect((await ask(`/v1/notes/${long}`)).body.transcript).toBeNull();
    const pages = await allPages(ask, `/v1/notes/${long}/transcript`, { page_size: 100 });
    expect(pages.length).toBeGreaterThan(10);
    const turns = pages.flatMap((page) => page.transcript);
    expect(turns.length).toBeGreaterThan(1000);
    expect(turns.map(({ start_time }) => start_time)).toEqual(turns.map(({ start_time }) => start_time).sort());
    expect(pages.at(-1)).toMatchObject({ hasMore: false, cursor: null });
  });

  it('have pages of 50 turns by default and up to 100', async () => {
    const { body } = await ask(`/v1/notes/${long}/transcript`);
    expect(body.transcript).toHaveLength(50);
    expect(body.hasMore).toBe(true);
    const refused = await ask(`/v1/notes/${long}/transcript`, { page_size: 101 });
    expect(refused).toMatchObject({ status: 400, body: { message: 'Number must be less than or equal to 100' } });
  });

  it('reject a cursor from another transcript', async () => {
    const { body } = await ask(`/v1/notes/${long}/transcript`);
    const other = await ask(`/v1/notes/${answers[0]!.body.id}/transcript`, { cursor: body.cursor });
    expect(other.status).toBe(400);
  });
});
