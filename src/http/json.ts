const numbers = /-?\d[\d.eE+-]*/g;

const quoteUnsafeInteger = (token: string): string =>
  /^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;

/** Maximum nesting of a legitimate response; recursion deeper than this could overflow the stack. */
const maxDepth = 500;

/**
 * Text up to this length is parsed without checking its depth first; longer text could be slow to parse if it is all
 * brackets.
 */
const maxUncheckedLength = 2 ** 20;

/**
 * Parses JSON so that integers beyond 2^53 become strings of digits.
 *
 * A reviver would see the rounded number on Node 20; only responses that contain such an integer are parsed again.
 */
export const parseJson = (text: string): unknown => {
  if (text.length > maxUncheckedLength && textExceedsDepth(text)) throw tooDeep();
  const value: unknown = JSON.parse(text);
  const found = { rounded: false };
  if (exceedsDepth(value, maxDepth, found)) throw tooDeep();
  return found.rounded ? JSON.parse(quoteUnsafeIntegers(text)) : value;
};

/** Quotes unsafe integers outside strings. One expression for strings would exhaust the stack on millions of escapes. */
function quoteUnsafeIntegers(text: string): string {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const quote = text.indexOf('"', from);
    const start = quote < 0 ? text.length : quote;
    const end = quote < 0 ? text.length : endOfString(text, quote);
    parts.push(text.slice(from, start).replace(numbers, quoteUnsafeInteger), text.slice(start, end));
    from = end;
  }
  return parts.join('');
}

/** The position after the string that starts at a quote: after its next unescaped quote, or the end of the text. */
function endOfString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at + 1;
  }
  return text.length;
}

const tooDeep = () => new SyntaxError(`JSON nested more than ${maxDepth} levels deep.`);

/** Whether a value is nested deeper than `levels`; also detects numbers that may have been rounded. */
function exceedsDepth(value: unknown, levels: number, found: { rounded: boolean }): boolean {
  if (typeof value === 'number') {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) found.rounded = true;
    return false;
  }
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Much faster than scanning the text or listing the values.
  if (Array.isArray(value)) {
    for (const item of value) if (exceedsDepth(item, levels - 1, found)) return true;
  } else {
    for (const key in value) if (exceedsDepth((value as Record<string, unknown>)[key], levels - 1, found)) return true;
  }
  return false;
}

/** Whether brackets outside strings are nested too deeply. */
function textExceedsDepth(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = endOfString(text, at) - 1;
    } else if (code === 91 || code === 123) {
      if (++depth > maxDepth) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === 92) from--;
  return (at - from) % 2 === 1;
}
