import type { Passage } from 'agent-connectors/replication';
import { expect, test } from 'vitest';
import { replication } from '../../connectors/gong/replication/index.js';
import { failure } from '../failure.js';
import { createCompany, type Replica } from './gong-setup.js';

const { call_transcripts } = replication.entities;
const segmentsOf = call_transcripts!.segments!.transcript!;

const lookIn = (replica: Replica) => {
  const asked: Array<readonly [string, readonly string[]]> = [];
  const look = async (entity: string, ids: readonly string[]) => {
    asked.push([entity, ids]);
    return new Map(ids.flatMap((id) => [...replica.records(entity)].filter(([found]) => found === id)));
  };
  return { asked, look };
};

test('a transcript is split by speaker turn', async () => {
  const { open } = createCompany();
  const replica = open();
  await replica.run('call_transcripts');
  let topics = 0;
  for (const record of replica.records('call_transcripts').values()) {
    const segments = [...segmentsOf(record)];
    const turns = record.transcript as any[];
    expect(segments.map(({ attribution }) => attribution)).toEqual(
      turns.map(({ speakerId, topic }) => ({ speakerId, topic })),
    );
    expect(segments.map(({ text }) => text)).toEqual(
      turns.map(({ sentences }) => sentences.map(({ text }: any) => text).join(' ')),
    );
    topics += segments.filter(({ attribution }) => attribution!.topic !== null).length;
  }
  expect(topics).toBeGreaterThan(100);
});

test('a turn without words is dropped, and a missing speaker or topic is null', () => {
  const sentences = [
    { start: 0, end: 1, text: 'Hello.' },
    { start: 1, end: 2, text: 'Is anybody there?' },
  ];
  const transcript = [{ speakerId: '1', topic: 'Pricing', sentences: [] }, { speakerId: '1' }, { sentences }];
  expect([...segmentsOf({ callId: '5', started: null, transcript })]).toEqual([
    { text: 'Hello. Is anybody there?', attribution: { speakerId: null, topic: null } },
  ]);
  expect([...segmentsOf({ callId: '5', started: null, transcript: null })]).toEqual([]);
});

test("passages get their speakers' names from the call's parties", async () => {
  const { open } = createCompany();
  const replica = open();
  for (const entity of ['calls_extensive', 'call_transcripts']) await replica.run(entity);
  const passages: Passage[] = [...replica.records('call_transcripts').values()].flatMap((record) =>
    [...segmentsOf(record)].slice(0, 20).map(({ attribution }) => ({ record, attribution: attribution! })),
  );
  const { asked, look } = lookIn(replica);
  const names = await call_transcripts!.enrich!(passages, look);
  expect(asked).toEqual([['calls_extensive', [...new Set(passages.map(({ record }) => record.callId))]]]);
  expect(names).toHaveLength(passages.length);
  for (const [at, { record, attribution }] of passages.entries()) {
    const { parties, metaData } = replica.records('calls_extensive').get(String(record.callId)) as any;
    const party = parties.find(({ speakerId }: any) => speakerId === attribution.speakerId);
    expect(names[at]).toEqual({
      speakerName: party.name ?? null,
      speakerTitle: party.title ?? null,
      speakerAffiliation: party.affiliation,
      callTitle: metaData.title,
      callUrl: metaData.url,
    });
  }
  expect(new Set(names.map(({ speakerAffiliation }) => speakerAffiliation))).toEqual(
    new Set(['Internal', 'External', 'Unknown']),
  );
  expect(names.some(({ speakerName }) => speakerName === null)).toBe(true);
});

test('passages with an unknown call or speaker have no names', async () => {
  const nobody = { speakerName: null, speakerTitle: null, speakerAffiliation: null, callTitle: null, callUrl: null };
  const record = { callId: '5', started: null, transcript: [] };
  const parties = [{ id: '1', name: 'Silent', speakerId: null }];
  const passages = [
    { record: { ...record, callId: '6' }, attribution: { speakerId: '1', topic: null } },
    { record, attribution: { speakerId: null, topic: null } },
  ];
  const look = async () => new Map([['5', { id: '5', parties }]]);
  expect(await call_transcripts!.enrich!(passages, look)).toEqual([nobody, nobody]);
});

const scope = (name: string) => `You don't have permission to use '${name}' in your app.`;

test('without the recordings scope, all other call data is read', async () => {
  const { open, sandbox } = createCompany();
  const path = '/v2/calls/extensive';
  const refused = { kind: 'refused', status: 401, path, reason: scope('api:calls:read:media-url') } as const;
  sandbox.faults.add({ ...refused, count: 1 });
  const replica = open();
  await replica.run('calls_extensive');
  const records = [...replica.records('calls_extensive').values()];
  expect(records.length).toBeGreaterThan(100);
  expect(records.every(({ media, parties }) => media === null && Array.isArray(parties))).toBe(true);
  const asked = sandbox.requests.filter((request) => request.path === path) as any[];
  expect(asked.map(({ body }) => body.contentSelector.exposedFields.media).filter(Boolean)).toHaveLength(1);
});

test('without the call content scope, no calls are read', async () => {
  const { open, sandbox } = createCompany();
  const reason = scope('api:calls:read:extensive');
  sandbox.faults.add({ kind: 'refused', status: 401, path: '/v2/calls/extensive', reason, count: 2 });
  const replica = open();
  expect((await failure(replica.run('calls_extensive'))).code).toBe('scope_missing');
  expect(replica.records('calls_extensive').size).toBe(0);
  expect(replica.states.size).toBe(0);
});
