const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const whole = (token: string): string =>
  /^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;

const isDigit = (code: number) => code >= 48 && code <= 57;

/** Whether a character can stand before a number in JSON; what stands in a string seldom follows one of these. */
const opensNumber = (code: number) => code === 58 || code === 44 || code === 91 || code === 45 || code <= 32;

/** Whether the text may hold a number of sixteen digits: every such run shows at some sixteenth place. */
function hasLongNumber(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    let to = at + 1;
    while (isDigit(text.charCodeAt(from - 1))) from--;
    while (isDigit(text.charCodeAt(to))) to++;
    if (to - from >= 16 && (from === 0 || opensNumber(text.charCodeAt(from - 1)))) return true;
  }
  return false;
}

/**
 * Parses JSON so that integers beyond 2^53 arrive whole, as strings of digits.
 *
 * A reviver would see the rounded number on Node 20; only replies that hold a long run of digits pay for the scan.
 */
export const parseJson = (text: string): unknown => {
  if (isDeeper(text, deepest)) throw new SyntaxError(`JSON that is nested more than ${deepest} levels deep.`);
  return JSON.parse(hasLongNumber(text) ? text.replace(tokens, whole) : text);
};

/** Nesting beyond this is no answer that anyone means, and what walks through it would run out of stack. */
const deepest = 500;

/** Whether brackets outside of strings are nested deeper than so many levels. */
function isDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      // To the end of the string: the next quote that no odd number of backslashes stands before.
      for (at = text.indexOf('"', at + 1); at > 0 && isEscaped(text, at); ) at = text.indexOf('"', at + 1);
      if (at < 0) return false;
    } else if (code === 91 || code === 123) {
      if (++depth > levels) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === 92) from--;
  return (at - from) % 2 === 1;
}
