import { dirname, relative } from 'node:path';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number as source maps write it: base 64, the lowest five bits first. */
function vlq(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

/** Edits of a text and marks in it, each mark the place of a source. */
export function mappedText(original) {
  const edits = [];
  const chunks = [];

  /** White space that the line of a place begins with. */
  const indentAt = (place) => /^ */.exec(original.slice(original.lastIndexOf('\n', place - 1) + 1))[0];

  const render = (start, end, own) => {
    let at = start;
    const indent = own ? `\n${indentAt(start)}` : '\n';
    const push = (...parts) =>
      chunks.push(...parts.map((part) => (typeof part === 'string' ? part.replaceAll(indent, '\n') : part)));
    for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
      if (edit === own || edit.start < at || edit.end > end) continue;
      push(original.slice(at, edit.start), edit.content);
      at = edit.end;
    }
    push(original.slice(at, end));
  };

  return {
    /** Puts text, or a mark, in place of a part. */
    replace: (start, end, content) => {
      const edit = { start, end, content };
      edits.push(edit);
      return edit;
    },
    /** Adds text, or a mark, to the end. */
    append: (content) => chunks.push(content),
    indentAt,
    /** Adds a part of the original to the end, with its edits; without `own` and its indentation, where that is given. */
    render,
    /** The text as it is now, and its map. */
    finish: (file) => {
      const sources = [];
      const lines = [[]];
      let text = '';
      let column = 0;
      for (const chunk of chunks) {
        if (typeof chunk !== 'string') {
          if (!sources.includes(chunk.file)) sources.push(chunk.file);
          lines.at(-1).push([column, sources.indexOf(chunk.file), chunk.line, chunk.character]);
          continue;
        }
        text += chunk;
        const [, ...more] = chunk.split('\n');
        for (const _ of more) lines.push([]);
        column = more.length > 0 ? more.at(-1).length : column + chunk.length;
      }
      return { text, map: mapOf(file, sources, lines) };
    },
  };
}

function mapOf(file, sources, lines) {
  let last = [0, 0, 0, 0];
  const encode = (segment) => {
    const text = segment.map((value, i) => vlq(value - last[i])).join('');
    last = segment;
    return text;
  };
  const mappings = lines.map((segments) => {
    last = last.with(0, 0);
    return segments.map(encode).join(',');
  });
  const folder = dirname(file);
  return JSON.stringify({
    version: 3,
    file: relative(folder, file),
    sourceRoot: '',
    sources: sources.map((source) => relative(folder, source)),
    names: [],
    mappings: mappings.join(';'),
  });
}
