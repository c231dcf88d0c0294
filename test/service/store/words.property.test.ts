import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsInOrder } from '../../../service/src/data/records/fuzzy-match.js';
import { foldText } from '../../../service/src/data/records/words/fold.js';
import { approximatesIn, hasAnyOf, satisfies, wantedIn } from '../../../service/src/data/records/words/question.js';
import { passageTokens, TokenFinder, tokensOf } from '../../../service/src/data/records/words/ranking.js';
import { termsIn } from '../../../service/src/data/records/words/terms.js';
import { caseCount } from '../../cases.js';
import { folded, hasKeyword, isFuzzy } from './oracle/texts.js';

/** Words that are hard to find, in many scripts and forms. */
const hard = `
請求書|請求書の再発行|東京オフィス|データベース|ﾃﾞｰﾀﾍﾞｰｽ|サーバー|サーバ|会議|東|2026年|API請求|京
ใบแจ้งหนี้|ราคา|ฐานข้อมูล|การประชุม|กรุงเทพ|ນະຄອນ|ວຽງຈັນ|ភ្នំពេញ|ការប្រជុំ|ရန်ကုန်|စာရင်း
보고서|보고서를|분기보고서|회의|회의에서|서울|서울에서|집|집에|API를|들
हिन्दी|हिंदी|क़ानून|कानून|दिल्ली|बैठक|বাংলা|தமிழ்|కన్నడ|ಕನ್ನಡ
كِتَابٌ|كتاب|الكتاب|مُحَمَّد|محمد|إدارة|ادارة|مكتـــب|שָׁלוֹם|שלום|השלום|צה״ל
Rechnung|Eingangsrechnung|Rechnungsnummer|Straße|STRASSE|Strasse|Köln|Koeln|Koln|Übersicht|Ubersicht
hóa đơn|hoá|hoa don|Đà Nẵng|İzmir|izmir|ısı|ISI|Łódź|Lodz|Ærø|œuvre|naïve|café|Ελλάδα|ΕΛΛΑΔΑ|λόγος|ΛΟΓΟΣ
ENG-104|ENG104|eng_104|v1.2.3|1.2.3|1.2|foo_bar|foo-bar|foobar|C++|c++17|C#|.NET|net|R&D|AT&T|e-mail|email
maria@acme.io|acme.io|https://www.acme.io/a/b-c?x=1#y|acme.io/a|and/or|TCP/IP|1,000,000|1000000|1.000|12:30
don't|don’t|l'avion|l’avion|avion|O'Brien|Maria’s|Maria|col·lecció|rock’n’roll
+49 (0)30 123-4567|030 1234567|(555) 123-4567|555 123 4567|docu\u00adment|key\u200bboard
ENG-104_final.pdf|2026-03-15T10:30:00Z|app-v1.2.3-rc.1.zip|v1.2.3|A/B-Test|A/B|RFC 2616|RFC2616|R & D|AT & T|1'000|.pdf
550e8400-e29b-41d4-a716-446655440000|550e8400e29b41d4a716446655440000|DE89 3704 0044 0532|DE89370400440532|Python3|python
٤٥٦|४५६|456|۱۴۰۳|צה"ל|ג'ירפה|וג׳ירפה|کتاب‌ها|کتاب|می‌خواهم|میخواهم|ἀρχῇ|αρχη|5550104477|030 1234567|1234567|e mail
½|x²|ﬁle|ＡＰＩ|２０２６|①|㍿|e\u0301te\u0301|A\u030a|Å|㋿|🎉|—|…|\u{10d4a}|ᏣᎳᎩ|ꮳꮃꭹ`
  .split(/[|\n]/)
  .filter((word) => word !== '');
const part = fc.oneof(
  { arbitrary: fc.constantFrom(...hard), weight: 8 },
  { arbitrary: fc.constantFrom(...hard).map((word) => word.normalize('NFD')), weight: 1 },
  { arbitrary: fc.constantFrom(...hard).map((word) => word.toUpperCase()), weight: 1 },
  { arbitrary: fc.constantFrom(...hard).map((word) => [...word].slice(0, -1).join('')), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 4 }), weight: 1 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }), weight: 1 },
);
const between = fc.constantFrom(' ', ' ', ' ', '', '-', '.', ', ', '/', "'", '、', '+', ' .', '(', '\n');
const phrase = (maxLength: number) =>
  fc
    .array(fc.tuple(part, between), { minLength: 1, maxLength })
    .map((parts) => parts.map(([word, sign]) => word + sign).join(''));

test('words are found as an independent description says', () => {
  fc.assert(
    fc.property(phrase(6), phrase(3), (text, question) => {
      const expected = hasKeyword(text, question);
      const wanted = wantedIn(question);
      expect(hasAnyOf(wanted)(text)).toBe(expected);
      expect(wanted.some((one) => satisfies(termsIn(text), one))).toBe(expected);
      const words = approximatesIn(question);
      expect(words.length > 0 && wordsInOrder(words)(text)).toBe(isFuzzy(text, question));
    }),
    { numRuns: caseCount(20_000) },
  );
});

test('texts are folded as an independent description says', () => {
  fc.assert(
    fc.property(phrase(6), (text) => {
      expect(foldText(text)).toBe(folded(text));
    }),
    { numRuns: caseCount(20_000) },
  );
  for (let point = 0; point < 0x30000; point++) {
    const text = `a${String.fromCodePoint(point)}b`;
    if (foldText(text) !== folded(text)) expect.fail(`${point.toString(16)}: ${foldText(text)} ${folded(text)}`);
  }
});

/** Words whose stems end in other letters, and short ones whose second letter changes. */
const inflected = fc
  .tuple(
    fc.constantFrom('', 'e', 'ey', 'ay', 's', 'sh', 'rat', 'hop', 'oper', 'agre', 'digit', 'vietnam'),
    fc.constantFrom(
      ...'ing ed eed s sses ies y ying ational izer bli ization ator fulness iviti icate ly e'.split(' '),
    ),
  )
  .map((parts) => parts.join(''));
const mixed = fc.array(fc.oneof(inflected, phrase(3)), { maxLength: 6 }).map((parts) => parts.join(' '));

test('a few tokens are counted as the index has them', () => {
  const columns = [{}, { about: { titled: false } }, { about: { titled: true } }];
  fc.assert(
    fc.property(
      mixed,
      mixed,
      fc.constantFrom(...columns),
      fc.string({ maxLength: 8 }),
      (text, prompt, column, rest) => {
        const wanted = new Set(tokensOf(prompt));
        const all = passageTokens(column, `${text}\n${rest}`, text);
        const found = all.filter((token) => wanted.has(token));
        const counts = [...new Set(found)].map((token) => [token, found.filter((one) => one === token).length]);
        const terms = new TokenFinder(wanted).termsOf(column, `${text}\n${rest}`, text);
        expect(terms).toEqual({ counts, length: all.length });
      },
    ),
    { numRuns: caseCount(20_000) },
  );
});
