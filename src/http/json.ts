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
export const parseJson = (text: string): unknown =>
  JSON.parse(hasLongNumber(text) ? text.replace(tokens, whole) : text);
