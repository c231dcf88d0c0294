/** Text with invisible characters made visible, since users base decisions on it. */
export const visibleText = (text: string): string =>
  text.replace(
    /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\u{E0000}-\u{E0FFF}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** JSON with invisible characters made visible. */
export const visibleJson = (value: unknown): string => visibleText(JSON.stringify(value, null, 2) ?? 'null');
