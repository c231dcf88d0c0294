import type { StoredRecord } from 'agent-connectors/replication';
import { describe, expect, test } from 'vitest';
import { replication } from '../../connectors/granola/replication/index.js';

describe("a note's text", () => {
  const { summary_markdown, transcript } = replication.entities.notes!.segments!;
  const textOf = (segments: Iterable<{ text: string }>) => [...segments].map(({ text }) => text);

  test('is its summary, split into blocks', () => {
    const markdown = '# Plan\n\nWe ship.\n\n- one\n- two';
    expect(textOf(summary_markdown!({ summary_markdown: markdown })).join('\n')).toBe(markdown);
    expect(textOf(summary_markdown!({ summary_markdown: null }))).toEqual([]);
  });

  test('is its plain summary if there is no other', () => {
    const summary_text = 'We postponed the migration.\n\nNext: budget.';
    for (const empty of [null, '', '\n']) {
      expect(textOf(summary_markdown!({ summary_markdown: empty, summary_text })).join('\n')).toBe(summary_text);
    }
    expect(textOf(summary_markdown!({ summary_markdown: '# Plan', summary_text }))).toEqual(['# Plan']);
  });

  test('is its transcript, split by turn, with names where known', () => {
    const turns = [
      { speaker: { source: 'microphone', attribution: 'me' }, text: 'Hello.' },
      { speaker: { source: 'speaker', attribution: 'them', name: 'Bo' }, text: 'Hi.' },
      { speaker: { source: 'speaker', attribution: 'them' }, text: 'Hey.' },
      { speaker: null, text: null },
    ];
    const note: StoredRecord = { owner: { name: 'Ada', email: 'a@example.com' }, transcript: turns };
    expect(textOf(transcript!(note))).toEqual(['Ada: Hello.', 'Bo: Hi.', 'Hey.', '']);
    expect(textOf(transcript!({ owner: null, transcript: null }))).toEqual([]);
  });
});
