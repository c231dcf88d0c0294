import { createAgentTools } from 'agent-connectors/tools';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorOnSandbox, connectorWithOptions, errorReply, pageReply } from './setup.js';

/** A public call with a long transcript, and that transcript. */
async function longCall(options: Parameters<typeof connectorOnSandbox>[0] = {}) {
  const { gong, sandbox } = connectorOnSandbox({ limits: { requestsPerSecond: 1_000 }, ...options });
  const { data } = await gong.call_transcripts.list({
    filter: { fromDateTime: '2026-08-01', toDateTime: '2026-09-01' },
  });
  const sizeOf = ({ transcript }: (typeof data)[number]) => transcript?.length ?? 0;
  const whole = data.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0]!;
  const filter = { callIds: [whole.callId] };
  const { data: calls } = await gong.calls_extensive.list({
    filter,
    contentSelector: { exposedFields: { parties: true } },
  });
  const sentences = whole.transcript!.flatMap((turn) =>
    (turn.sentences ?? []).map((sentence) => ({ ...sentence, speakerId: turn.speakerId })),
  );
  sandbox.requests.clear();
  return { gong, sandbox, filter, whole, sentences, parties: calls[0]!.parties! };
}

const sentencesOf = (
  transcript: ReadonlyArray<{ sentences?: readonly any[] | null | undefined; speakerId?: unknown }> | null,
) =>
  (transcript ?? []).flatMap(({ sentences, speakerId }) =>
    (sentences ?? []).map((sentence) => ({ ...sentence, speakerId })),
  );

describe('sentences of a transcript', () => {
  test('are selected by text, with their speakers and times, in the same requests', async () => {
    const { gong, sandbox, filter, sentences, parties } = await longCall();
    const word = sentences[5]!.text.split(/\W+/).toSorted((one, other) => other.length - one.length)[0]!;
    const expected = sentences.filter(({ text }) => text.toLowerCase().includes(word.toLowerCase()));
    const { data, meta } = await gong.call_transcripts.list({ filter, contains: word.toUpperCase() });
    expect(sentencesOf(data[0]!.transcript)).toEqual(expected);
    expect(meta.notes).toEqual([`Sentences returned: ${expected.length} of ${sentences.length}.`]);
    for (const { speakerId, speakerName } of data[0]!.transcript!) {
      expect(speakerName).toBe(parties.find((party: any) => party.speakerId === speakerId)!.name);
    }
    expect(sandbox.requests.map(({ path, body }) => [path, (body as any).contains])).toEqual([
      ['/v2/calls/transcript', undefined],
      ['/v2/calls/extensive', undefined],
    ]);
  });

  test('are selected by time within the call, in seconds or as a clock time', async () => {
    const { gong, filter, sentences } = await longCall();
    const expected = sentences.filter(({ start, end }) => end > 60_000 && start < 150_000);
    expect(expected.length).toBeGreaterThan(3);
    expect(expected.length).toBeLessThan(sentences.length);
    for (const period of [
      { from: 60, to: 150 },
      { from: '1:00', to: '0:02:30' },
    ]) {
      const { data } = await gong.call_transcripts.list({ filter, ...period });
      expect(sentencesOf(data[0]!.transcript)).toEqual(expected);
    }
  });

  test('are selected by speaker: an id, an email address or a part of the name', async () => {
    const { gong, filter, sentences, parties } = await longCall({ includePrivate: true });
    const { speakerId, name } = parties.find((party: any) => party.speakerId === sentences[0]!.speakerId)! as any;
    const expected = sentences.filter((sentence) => sentence.speakerId === speakerId);
    for (const speaker of [speakerId, name.split(' ')[0]!.toLowerCase(), ['nobody', name]]) {
      const { data } = await gong.call_transcripts.list({ filter, speaker });
      expect(sentencesOf(data[0]!.transcript)).toEqual(expected);
    }
    const { data, meta } = await gong.call_transcripts.list({ filter, contains: 'zeppelin' });
    expect(data).toEqual([{ callId: filter.callIds[0], transcript: [] }]);
    expect(meta.notes).toEqual([`Sentences returned: 0 of ${sentences.length}.`]);
  });

  test('start a new line after a gap, so that each line has its own time', async () => {
    const { gong, filter, sentences } = await longCall();
    const { data } = await gong.call_transcripts.list({ filter, contains: ['e', 'a'] });
    for (const { sentences: run } of data[0]!.transcript!) {
      const at = sentences.findIndex(({ start }) => start === run![0]!.start);
      expect(run).toEqual(sentences.slice(at, at + run!.length).map(({ speakerId: _, ...sentence }) => sentence));
    }
    const [execute] = createAgentTools(gong).filter(({ name }) => name.endsWith('execute'));
    const { text } = await execute!.run({
      entity: 'call_transcripts',
      action: 'list',
      params: { filter, from: '1:00', to: '1:30' },
    });
    expect(text).toMatch(/\n\[0?\d:\d\d\] [A-Z]\w+ [A-Z]\w+: /);
    expect(text).toMatch(/Sentences returned: \d+ of \d+\./);
  });

  test.each(['5 minutes', '1:75:00', '1:60', '12'])('are not selected by an invalid time: %s', async (from) => {
    const { gong } = connectorOnSandbox();
    const error = await failure(gong.call_transcripts.list({ filter: {}, from }));
    expect(error).toMatchObject({ code: 'invalid_params', message: expect.stringContaining('12:30') });
  });

  test('are not selected by a period that ends before it starts', async () => {
    const { gong } = connectorOnSandbox();
    const error = await failure(gong.call_transcripts.list({ filter: {}, from: '2:00', to: 90 }));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'to', message: 'is before from' }] });
  });

  describe('of known and unknown speakers', () => {
    const says = (speakerId: string, text: string) => ({
      speakerId,
      topic: null,
      sentences: [{ start: 0, end: 900, text }],
    });
    const transcripts = pageReply('callTranscripts', [
      { callId: '77', transcript: [says('641', 'Hello.'), says('642', 'Good morning.'), says('643', 'Hi.')] },
    ]);
    const parties = pageReply('calls', [
      {
        metaData: { id: '77' },
        parties: [
          { id: '1', speakerId: '641', name: 'Ana', emailAddress: 'ana@banana.example' },
          { id: '2', speakerId: '642', name: 'Bo', emailAddress: 'bo@banana.example' },
        ],
      },
    ]);
    const noScope = errorReply(401, ["You don't have permission to use 'api:calls:read:extensive' in your app."]);
    const filter = { callIds: ['77'] };
    const list = (speaker: string | string[], lookup: Response | typeof parties = parties) =>
      connectorWithOptions({ includePrivate: true }, transcripts, lookup).gong.call_transcripts.list({
        filter,
        speaker,
      });
    const speakersIn = async (...args: Parameters<typeof list>) =>
      (await list(...args)).data[0]!.transcript!.map(({ speakerId }) => speakerId);

    test('an id or an email address is selected only as a whole, and what cannot be selected is counted', async () => {
      expect(await speakersIn('ana')).toEqual(['641']);
      expect(await speakersIn('BO@banana.example')).toEqual(['642']);
      expect(await speakersIn(['banana', '64', 'example'])).toEqual([]);
      expect((await list('ana')).meta.notes).toEqual([
        'Sentences returned: 1 of 3.',
        "Sentences whose speaker's name is unknown: 1. Pass their speakerId as speaker to select them.",
      ]);
    });

    test('a name is refused by name if the key cannot read names; an id is not', async () => {
      const error = await failure(list(['641', 'Ana'], noScope));
      expect(error).toMatchObject({ code: 'scope_missing', status: 401 });
      expect(error.message).toMatch(/^Could not read the names of these calls' speakers\. /);
      expect(error.hint).toContain('api:calls:read:extensive');
      expect(await speakersIn('643', noScope)).toEqual(['643']);
    });
  });
});
