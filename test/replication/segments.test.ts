import { markdownSegments, plainSegments } from 'agent-connectors/replication';
import { describe, expect, test } from 'vitest';

const markdown = (...lines: readonly string[]) =>
  [...markdownSegments(lines.join('\n'))].map(({ text }) => text.trim());
const long = (line: string) => Array.from({ length: 30 }, (_, index) => `${line} ${String(index).padStart(40, '.')}`);

describe('plain text', () => {
  test('is split into paragraphs', () => {
    const texts = [...plainSegments('\nOne\ngoes on.\n\n \nTwo.\r\n\r\nThree.\n')].map(({ text }) => text.trim());
    expect(texts).toEqual(['One\ngoes on.', 'Two.', 'Three.']);
  });

  test('that is empty is one empty segment', () => {
    expect([...plainSegments('')]).toEqual([{ text: '' }]);
  });
});

describe('Markdown', () => {
  test('has a segment for each paragraph', () => {
    expect(markdown('One', 'goes on.', '', 'Two.')).toEqual(['One\ngoes on.', 'Two.']);
  });

  test('keeps headings with the following text', () => {
    expect(markdown('# Title', '## Part', '', 'Words.', '', 'More.', 'Other', '-----', 'Last.', '', '# End')).toEqual([
      '# Title\n## Part\n\nWords.',
      'More.\nOther\n-----\nLast.',
      '# End',
    ]);
  });

  test('keeps the items of a list together', () => {
    const list = ['- one', '  more of one', '', '- two', '  1. inner', '', '     of inner', '* three'];
    expect(markdown('To do:', ...list, '', 'Done.')).toEqual(['To do:', list.join('\n'), 'Done.']);
  });

  test('splits a list into its items if it is too long for a passage', () => {
    const items = long('- item').map((item) => `${item}\n  - inner\n\n  more`);
    expect(markdown('# List', '', ...items, '', 'Behind.')).toEqual([
      `# List\n\n${items[0]}`,
      ...items.slice(1),
      'Behind.',
    ]);
  });

  test('keeps a table together, and splits one that is too long into its rows', () => {
    const head = ['| a | b |', '|:--|--:|'];
    expect(markdown('Before.', '', ...head, '| 1 | 2 |', '', 'Behind.')).toEqual([
      'Before.',
      [...head, '| 1 | 2 |'].join('\n'),
      'Behind.',
    ]);
    const rows = long('| cell |');
    expect(markdown(...head, ...rows)).toEqual([...head, ...rows]);
  });

  test('keeps code together, whatever it contains', () => {
    const code = ['```js', '# no heading', '', '- no item', '~~~', '```'];
    expect(markdown('Before.', ...code, 'Behind.')).toEqual(['Before.', code.join('\n'), 'Behind.']);
    expect(markdown('~~~', 'never closed', '', '# no heading')).toEqual(['~~~\nnever closed\n\n# no heading']);
  });

  test('keeps code within its list item', () => {
    const list = ['- one', '', '  ```', '- no item', '', '# no heading', '  ```', '- ```', '  code', '  ```', '- two'];
    expect(markdown(...list, '', '# Title')).toEqual([list.join('\n'), '# Title']);
  });

  test('splits code that is too long into its lines', () => {
    const lines = long('call();');
    expect(markdown('```', ...lines, '```')).toEqual(['```', ...lines, '```']);
  });

  test('treats a horizontal rule as the end of a block', () => {
    expect(markdown('One.', '', '---', 'Two.', '***', '- item')).toEqual(['One.\n\n---', 'Two.\n***', '- item']);
  });
});
