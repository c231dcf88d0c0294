import { createAgentTools } from 'agent-connectors/tools';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorOnSandbox } from './setup.js';

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

  test('are not selected by an invalid time', async () => {
    const { gong } = connectorOnSandbox();
    const error = await failure(gong.call_transcripts.list({ filter: {}, from: '5 minutes' }));
    expect(error).toMatchObject({ code: 'invalid_params', message: expect.stringContaining('12:30') });
  });
});
