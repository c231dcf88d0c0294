const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const whole = (token: string): string =>
  /^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;

const isDigit = (code: number) => code >= 48 && code <= 57;

/** Whether the text has sixteen digits in a row, which every such run shows at some sixteenth place. */
function hasLongNumber(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    let to = at + 1;
    while (isDigit(text.charCodeAt(from - 1))) from--;
    while (isDigit(text.charCodeAt(to))) to++;
    if (to - from >= 16) return true;
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
