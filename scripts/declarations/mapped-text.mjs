import { dirname, relative } from 'node:path';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number in source map encoding: base64 VLQ, lowest five bits first. */
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

/** Edits text using marks that map to source positions. */
export function mappedText(original) {
  const edits = [];
  const chunks = [];

  /** Indentation of the line at a position. */
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
    /** Replaces a range with text or a mark. */
    replace: (start, end, content) => {
      const edit = { start, end, content };
      edits.push(edit);
      return edit;
    },
    /** Appends text or a mark. */
    append: (content) => chunks.push(content),
    indentAt,
    /** Appends a range of the original with its edits, optionally without `own` and its indentation. */
    render,
    /** The edited text and its source map. */
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
