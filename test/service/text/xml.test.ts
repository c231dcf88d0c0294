import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { expect, test } from 'vitest';
import { readMarkup } from '../../../service/src/data/text/markup.js';
import { caseCount } from '../../cases.js';

/** What a listener is told, with adjacent pieces of text joined. */
class Events {
  readonly list: unknown[] = [];
  readonly open = (name: string, attributes: object): void => {
    this.list.push(['open', name, { ...attributes }]);
  };
  readonly text = (text: string): void => {
    const last = this.list.at(-1);
    if (typeof last === 'string') this.list[this.list.length - 1] = last + text;
    else this.list.push(text);
  };
  readonly close = (name: string): void => {
    this.list.push(['close', name]);
  };
}

async function eventsOf(source: string): Promise<unknown[] | string> {
  const events = new Events();
  const failed = await readMarkup(source, true, events).catch((error: Error) => error.message);
  return failed ?? events.list;
}

/** The same from a general parser. */
function expectedOf(source: string): unknown[] | string {
  const events = new Events();
  let depth = 0;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        events.open(local(name), attributes);
      },
      ontext: events.text,
      onclosetag(name) {
        depth -= 1;
        events.close(local(name));
      },
    },
    { xmlMode: true },
  );
  parser.write(source);
  const isTruncated = depth > 0;
  parser.end();
  return isTruncated ? 'Its XML is truncated.' : events.list;
}

const name = fc.constantFrom('a', 'w:t', 'x:row', 'b-1', '_');
const words = fc.constantFrom(
  'one',
  ' ',
  '\n',
  '&amp;',
  '&lt;',
  '&#65;',
  '&#x20AC;',
  '&nbsp;',
  '&',
  '>',
  "'",
  '"',
  'é',
  '',
);
const value = fc.constantFrom('', '1', 'a>b', '&quot;x&quot;', 'é &#xe9;', 'a/b', '=');
const attributes = fc
  .uniqueArray(fc.tuple(name, value, fc.constantFrom('"', "'"), fc.constantFrom('', ' ', '\n')), {
    selector: ([key]) => key,
    maxLength: 3,
  })
  .map((list) => list.map(([key, text, quote, gap]) => ` ${gap}${key}${gap}=${quote}${text}${quote}`).join(''));
const piece: fc.Arbitrary<string> = fc.oneof(
  words,
  words,
  fc.tuple(name, attributes, fc.constantFrom('', ' ')).map(([tag, list, gap]) => `<${tag}${list}${gap}/>`),
  fc.tuple(name, attributes).map(([tag, list]) => `<${tag}${list}>`),
  name.map((tag) => `</${tag}>`),
  fc.constantFrom('<!-- a <b> -->', '<![CDATA[1 < 2 &amp; ]]>', '<?xml version="1.0"?>', '<!DOCTYPE a>', '< '),
);
const balanced = fc
  .tuple(name, attributes, fc.array(piece, { maxLength: 8 }))
  .map(([tag, list, inner]) => `<${tag}${list}>${inner.join('')}</${tag}>`);

test('XML is read as a general parser reads it, also with tags that do not match', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(piece, balanced), { maxLength: 6 }), async (pieces) => {
      const source = pieces.join('');
      expect(await eventsOf(source)).toEqual(expectedOf(source));
    }),
    { numRuns: caseCount(5000) },
  );
});

test('XML that breaks off anywhere is reported, or is read without its last tag', async () => {
  const source = '<?xml version="1.0"?><a b="1" c=\'2\'><!-- x --><d/>one &amp; two<![CDATA[3]]></a>';
  for (let end = source.indexOf('<a') + 1; end < source.length; end += 1) {
    const events = await eventsOf(source.slice(0, end));
    if (typeof events === 'string') expect(events).toBe('Its XML is truncated.');
    else expect(end).toBeLessThan(source.indexOf('<!--'));
  }
});

test('XML with very many openings that never end is read in linear time', async () => {
  for (const opening of ['<!--', '<![CDATA[', '<a b="', '<?', '</', '<a ']) {
    const events = await eventsOf(`<x>${opening.repeat(200_000)}`);
    expect(events, opening).toBe('Its XML is truncated.');
  }
});

test('reading stops within a long text once there is enough, and entities in it are whole', async () => {
  let length = 0;
  let text = '';
  const listener = {
    text(piece: string) {
      length += piece.length;
      text += piece;
    },
    length: () => length,
  };
  await readMarkup(`<a>${'x'.repeat(8_000_000)}</a>`, true, listener);
  expect(length).toBeGreaterThan(2_000_000);
  expect(length).toBeLessThan(3_000_000);
  for (const before of [65_525, 65_530, 65_535, 65_536]) {
    [length, text] = [0, ''];
    await readMarkup(`<a>${'x'.repeat(before)}${'&amp;'.repeat(5)}&#1114111;${'y'.repeat(70_000)}</a>`, true, listener);
    expect(text.replace(/^x+/, '').replace(/y+$/, '')).toBe('&&&&&\u{10ffff}');
  }
});
