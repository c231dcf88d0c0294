import { expect, test } from 'vitest';
import { utf16 } from './documents.js';
import { openTextReader } from './open-reader.js';

const { read } = openTextReader();

/** Encodes text in a single-byte or double-byte encoding, by the inverse of its decoder. */
function encode(text: string, encoding: string): Uint8Array {
  const codes = new Map<string, readonly number[]>();
  for (let code = 0xff; code >= 0x20; code -= 1) codes.set(decode(encoding, [code]), [code]);
  if (/^(?:shift_jis|euc|gb|big5)/.test(encoding)) {
    for (let lead = 0x81; lead <= 0xfe; lead += 1) {
      for (let trail = 0x40; trail <= 0xfe; trail += 1) {
        const character = decode(encoding, [lead, trail]);
        if ([...character].length === 1 && !codes.has(character)) codes.set(character, [lead, trail]);
      }
    }
  }
  // Node 20 decodes these bytes as control characters.
  if (encoding === 'windows-1252') {
    for (const [at, character] of [...'€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'].entries()) codes.set(character, [0x80 + at]);
    codes.set(' ', [0x20]);
  }
  return Uint8Array.from(
    [...text].flatMap((character) => {
      if (character === '\n' || character === '\r') return [character.charCodeAt(0)];
      const code = codes.get(character);
      if (!code) throw new Error(`${character} is not in ${encoding}.`);
      return code;
    }),
  );
}

const decode = (encoding: string, bytes: readonly number[]): string =>
  new TextDecoder(encoding).decode(Uint8Array.from(bytes));

const texts: ReadonlyArray<readonly [encoding: string, text: string]> = [
  ['windows-1252', 'Kündigung;Straße\nMüller;„Köln“ – 5 €\n'],
  ['windows-1252', 'KÖLN\nMÜNCHEN\n'],
  ['windows-1252', 'Le contrat a été signé à Genève, où l’accord était déjà négocié.\n'],
  ['windows-1252', 'La reunión será mañana. ¿Cuándo?\n'],
  ['shift_jis', '顧客,金額\n東京商事,1200\n'],
  ['shift_jis', '契約の解除については、書面で通知するものとする。\n'],
  ['euc-jp', '契約の解除については、書面で通知するものとする。\n'],
  ['euc-jp', 'データ,サービス\n'],
  ['windows-1251', 'Имя;Сумма\nИванов;100\n'],
  ['koi8-r', 'Договор о поставке товаров и услуг\n'],
  ['gb18030', '合同编号,客户名称\n北京公司,100\n'],
  ['big5', '合約編號,客戶名稱\n臺北公司,100\n'],
  ['euc-kr', '계약 번호,고객 이름\n서울 상사,100\n'],
  ['iso-8859-2', 'Imię;Miasto\nŁukasz;Łódź\nWiśniewska;Kraków\n'],
  ['windows-1250', 'Imię;Miasto\nŁukasz;Łódź\nWiśniewska;Kraków\n'],
  ['windows-1253', 'Σύμβαση προμήθειας αγαθών\n'],
];

test.each(texts)('text in %s is read without a declaration: %j', async (encoding, text) => {
  const bytes = encode(text, encoding);
  expect(await read(bytes, 'text/plain', 'a.txt')).toEqual({ text, state: 'read' });
  expect(await read(bytes, 'text/csv', 'a.csv')).toEqual({ text, state: 'read' });
  const page = Buffer.concat([Buffer.from('<!doctype html><p>'), bytes, Buffer.from('</p>')]);
  expect(await read(page, 'text/html', 'a.html')).toEqual({ text: text.trim().replaceAll('\n', ' '), state: 'read' });
});

test.each(texts)('a declaration of %s is followed: %j', async (encoding, text) => {
  const bytes = encode(text, encoding);
  expect(await read(bytes, `text/plain; charset=${encoding}`, 'a.txt')).toEqual({ text, state: 'read' });
  const xml = Buffer.concat([
    Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>\n<a>`),
    bytes,
    Buffer.from('</a>'),
  ]);
  const { text: content, state } = await read(xml, 'application/xml', 'a.xml');
  expect([content?.includes(text), state]).toEqual([true, 'read']);
  const page = Buffer.concat([Buffer.from(`<html><meta charset="${encoding}"><pre>`), bytes, Buffer.from('</pre>')]);
  expect((await read(page, 'text/html', 'a.html')).text?.trim()).toBe(text.trim());
});

test('a text that only mentions a declaration is read as what it is', async () => {
  for (const text of [
    'Use <meta charset="shift_jis"> für Köln.',
    'Über\n# coding: latin-1\n',
    '<?xml encoding="UTF-16"?>é',
  ]) {
    expect(await read(Buffer.from(text), 'text/plain', 'a.txt')).toEqual({ text, state: 'read' });
  }
});

test('UTF-16 is read with and without a byte order mark', async () => {
  for (const isBig of [false, true]) {
    for (const text of ['Kündigung;Köln\n', '東京商事株式会社との契約について、支払条件を確認する。\n']) {
      const bytes = utf16(text, isBig);
      expect(await read(bytes, 'text/csv', 'a.csv')).toEqual({ text, state: 'read' });
      expect(await read(bytes.subarray(2), 'text/csv', 'a.csv')).toEqual({ text, state: 'read' });
    }
  }
});

test('a single byte beyond ASCII is a letter or a space of Western Europe', async () => {
  const text = 'Meeting notes of Monday\nThe café opens at nine.\nNo\u00a0break\n';
  expect(await read(Buffer.from(text, 'latin1'), 'text/plain', 'a.txt')).toEqual({ text, state: 'read' });
});

test.each([
  ['a byte of no encoding', Buffer.from('Meeting notes \x81 of Monday', 'latin1'), 'of Monday'],
  ['Mac OS Roman', Buffer.from('M\x9fller in K\x9aln und G\x8aste', 'latin1'), 'und'],
  ['two characters of any East Asian encoding', Buffer.from('b1b1bea9', 'hex'), ''],
  ['UTF-8 with an invalid byte', Buffer.concat([Buffer.from('Straße in Köln\n'), Buffer.of(0xfc)]), 'Straße in Köln'],
  ['UTF-16 that ends within a character', utf16('Köln und Bonn', false).subarray(0, -1), 'Köln und Bon'],
])('%s: the file says that its encoding is uncertain', async (_, bytes, text) => {
  const outcome = await read(bytes, 'text/plain', 'a.txt');
  expect(outcome).toMatchObject({ state: 'partial', cause: 'encoding', detail: expect.any(String) });
  expect(outcome.text).toContain(text);
});

test('long lines and repeated quotation marks are read in linear time', async () => {
  const quotes = Buffer.concat([Buffer.alloc(600_000, 0x92), Buffer.from('!')]);
  expect(await read(quotes, 'text/plain', 'a.txt')).toMatchObject({ text: expect.any(String) });
  const text = 'Müller in Köln, '.repeat(100_000);
  expect(await read(Buffer.from(text, 'latin1'), 'text/plain', 'a.txt')).toEqual({ text, state: 'read' });
});
