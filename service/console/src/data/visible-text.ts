/** Text whose invisible characters are shown: whoever decides by it must see what it says. */
export const visibleText = (text: string): string =>
  text.replace(
    /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\u{E0000}-\u{E0FFF}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** JSON whose invisible characters are shown. */
export const visibleJson = (value: unknown): string => visibleText(JSON.stringify(value, null, 2) ?? 'null');
