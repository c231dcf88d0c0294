import { markdownSegments, type Replica } from 'agent-connectors/replication';
import { describe, expect, test } from 'vitest';
import { textsOf } from '../../../service/src/data/records/passages/split-passages.js';

const segments: Replica['segments'] = {
  summary: ({ summary }) => markdownSegments(String(summary)),
  transcript: ({ transcript }) =>
    (transcript as { speakerId: string; text: string }[]).map(({ speakerId, text }) => ({
      text,
      attribution: { speakerId },
    })),
};

describe('the texts of a record', () => {
  test('are those of its fields, each split into passages', () => {
    const record = {
      summary: '# Title\n\nWords.',
      transcript: [
        { speakerId: 'ann', text: 'Hello.' },
        { speakerId: 'bob', text: 'Hi.' },
      ],
    };
    expect(textsOf({ segments }, ['summary', 'transcript'])(record)).toEqual([
      { field: 'summary', text: '# Title\n\nWords.', passages: [{ start: 0, end: 15, attribution: {} }] },
      {
        field: 'transcript',
        text: 'Hello.\nHi.',
        passages: [
          {
            start: 0,
            end: 10,
            attribution: { speakerId: 'ann' },
            turns: [
              { start: 0, attribution: { speakerId: 'ann' } },
              { start: 7, attribution: { speakerId: 'bob' } },
            ],
          },
        ],
      },
    ]);
  });

  test('omit empty fields', () => {
    const texts = textsOf({ segments }, ['summary', 'transcript', 'absent']);
    expect(texts({ summary: ' \n ', transcript: null })).toEqual([]);
  });

  test('come from another field if the replication names one', () => {
    const fallbacks = { summary: 'plain' };
    const summary = (record: Readonly<Record<string, unknown>>) => [{ text: String(record.summary ?? record.plain) }];
    const texts = textsOf({ segments: { summary }, fallbacks }, ['summary']);
    expect(texts({ summary: null, plain: 'One.' })).toMatchObject([{ field: 'summary', text: 'One.' }]);
    expect(texts({ summary: 'Two.', plain: 'One.' })).toMatchObject([{ field: 'summary', text: 'Two.' }]);
    expect(texts({ summary: null, plain: null })).toEqual([]);
  });

  test('are paragraphs unless the replication specifies otherwise', () => {
    const [text] = textsOf({}, ['body'])({ body: 'One.\n\nTwo.' });
    expect(text).toEqual({ field: 'body', text: 'One.\n\nTwo.', passages: [{ start: 0, end: 10, attribution: {} }] });
  });

  test('are rejected for a field without declared segments', () => {
    expect(() => textsOf({}, ['items'])({ items: ['a'] })).toThrow('items');
  });
});
