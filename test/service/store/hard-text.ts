import fc from 'fast-check';
import type { StoredEntity, StoredRecord } from '../../../service/src/data/records/entity.js';
import { patternsNear, textsNear, wordsNear } from './oracle/arbitrary-values.js';
import type { Filter, Params } from './oracle/types.js';

/** Words that are hard to find, in many scripts and forms. */
const hardWords = `
請求書|請求書の再発行|東京オフィス|データベース|ﾃﾞｰﾀﾍﾞｰｽ|サーバー|サーバ|会議|東|2026年|API請求|京
ใบแจ้งหนี้|ราคา|ฐานข้อมูล|การประชุม|กรุงเทพ|ນະຄອນ|ວຽງຈັນ|ភ្នំពេញ|ការប្រជុំ|ရန်ကုန်|စာရင်း
보고서|보고서를|분기보고서|회의|회의에서|서울|서울에서|집|집에|API를|들
हिन्दी|हिंदी|माँगे|मांगे|सम्बन्ध|संबंध|গঙ্গা|গংগা|客户|客戶|図書館|圖書館|图书馆|請求書|请求书|學習|学习|क़ानून|कानून|दिल्ली|बैठक|বাংলা|தமிழ்|కన్నడ|ಕನ್ನಡ
كِتَابٌ|كتاب|الكتاب|مُحَمَّد|محمد|إدارة|ادارة|مكتـــب|שָׁלוֹם|שלום|השלום|צה״ל
Rechnung|Eingangsrechnung|Eingangsrechnungsbuch|Kündigung|Kuendigungsfrist|Rechnungsnummer|Straße|STRASSE|Strasse|Köln|Koeln|Koln|Übersicht|Ubersicht
hóa đơn|hoá|hoa don|Đà Nẵng|İzmir|izmir|ısı|ISI|Łódź|Lodz|Ærø|œuvre|naïve|café|Ελλάδα|ΕΛΛΑΔΑ|λόγος|ΛΟΓΟΣ
ENG-104|ENG104|eng_104|v1.2.3|1.2.3|1.2|getUserName|user name|HTTPServer|größeÄndern|OAuth2Client|utf8Decode|5Türen|foo_bar|foo-bar|foobar|C++|c++17|C#|.NET|net|R&D|AT&T|e-mail|email
maria@acme.io|acme.io|https://www.acme.io/a/b-c?x=1#y|acme.io/a|and/or|TCP/IP|1,000,000|1000000|1.000|12:30
don't|don’t|l'avion|l’avion|avion|O'Brien|Maria’s|Maria|col·lecció|rock’n’roll
+49 (0)30 123-4567|+33 6 12 34 56 78|0612345678|030 1234567|(555) 123-4567|555 123 4567|docu\u00adment|key\u200bboard
ENG-104_final.pdf|2026-03-15T10:30:00Z|app-v1.2.3-rc.1.zip|v1.2.3|A/B-Test|A/B|RFC 2616|RFC2616|R & D|AT & T|1'000|.pdf
9fceb02|9fceb02d0ae598e95dc970b74767f19372d61af8|9fceb02d0ae5|550e8400-e29b-41d4-a716-446655440000|550e8400e29b41d4a716446655440000|DE89 3704 0044 0532|DE89370400440532|Python3|python
٤٥٦|४५६|456|۱۴۰۳|צה"ל|ג'ירפה|וג׳ירפה|کتاب‌ها|کتاب|می‌خواهم|میخواهم|ἀρχῇ|αρχη|5550104477|030 1234567|1234567|e mail
½|x²|ﬁle|ＡＰＩ|２０２６|①|㍿|e\u0301te\u0301|A\u030a|Å|㋿|🎉|—|…|\u{10d4a}|ᏣᎳᎩ|ꮳꮃꭹ`
  .split(/[|\n]/)
  .filter((word) => word !== '');
const part = fc.oneof(
  { arbitrary: fc.constantFrom(...hardWords), weight: 8 },
  { arbitrary: fc.constantFrom(...hardWords).map((word) => word.normalize('NFD')), weight: 1 },
  { arbitrary: fc.constantFrom(...hardWords).map((word) => word.toUpperCase()), weight: 1 },
  { arbitrary: fc.constantFrom(...hardWords).map((word) => [...word].slice(0, -1).join('')), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 4 }), weight: 1 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }), weight: 1 },
);
const between = fc.constantFrom(' ', ' ', ' ', '', '-', '.', ', ', '/', "'", '、', '+', ' .', '(', '\n');
/** Texts of hard words with signs between them. */
export const hardPhrases = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(part, between), { minLength: 1, maxLength })
    .map((parts) => parts.map(([word, sign]) => word + sign).join(''));

/** An entity with texts in columns and inside objects, and with passages. */
export const hardEntity: StoredEntity = {
  type: 'sample',
  entity: 'hard',
  fields: { id: 'string', title: 'string', body: 'string', state: 'object' },
  dateTimes: [],
  key: ['id'],
  semantic: ['body'],
  about: { title: ['title'], words: [] },
};

/** Fields of hard text that can be searched by words. */
const paths = ['title', 'body', 'state.name'] as const;

const spelled = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('as is', 'as is', 'NFC', 'NFD', 'NFKC', 'upper', 'lower', 'near'), textsNear(text))
    .map(([form, near]) => {
      if (form === 'upper') return text.toUpperCase();
      if (form === 'lower') return text.toLowerCase();
      return form === 'as is' ? text : form === 'near' ? near : text.normalize(form);
    });

/** Parts of the texts of records, in other spellings, or other texts. */
function questionsNear(texts: readonly string[]): fc.Arbitrary<string> {
  const own = fc.constantFrom(...texts);
  const part = fc.tuple(own, fc.nat(40), fc.nat(12)).map(([text, from, length]) => {
    const characters = [...text];
    const start = from % (characters.length + 1);
    return characters.slice(start, start + length + 1).join('');
  });
  return fc.oneof(
    { arbitrary: part.chain(spelled), weight: 4 },
    { arbitrary: own.chain(spelled), weight: 2 },
    { arbitrary: own.chain(wordsNear), weight: 2 },
    { arbitrary: hardPhrases(3), weight: 2 },
    { arbitrary: fc.constantFrom(...hardWords).chain(spelled), weight: 3 },
  );
}

function filtersNear(texts: readonly string[], depth: number): fc.Arbitrary<Filter> {
  const question = questionsNear(texts).filter((text) => text !== '');
  const path = fc.constantFrom(...paths);
  const by = (operators: ReadonlyArray<keyof Filter>, values: fc.Arbitrary<unknown>) =>
    fc
      .tuple(fc.constantFrom(...operators), path, values)
      .map(([operator, at, value]) => ({ [operator]: { [at]: value } }) as Filter);
  const simple = fc.oneof(
    { arbitrary: by(['keyword'], question), weight: 6 },
    { arbitrary: by(['fuzzy'], question), weight: 3 },
    { arbitrary: by(['contains', 'startswith', 'endswith'], question), weight: 4 },
    { arbitrary: by(['like'], fc.constantFrom(...texts).chain(patternsNear)), weight: 2 },
    { arbitrary: by(['eq', 'neq', 'lt', 'gte'], question), weight: 2 },
    { arbitrary: by(['in'], fc.array(question, { minLength: 1, maxLength: 3 })), weight: 1 },
  );
  if (depth === 0) return simple;
  const inner = filtersNear(texts, depth - 1);
  const parts = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { arbitrary: simple, weight: 6 },
    {
      arbitrary: fc.oneof(
        parts.map((and): Filter => ({ and })),
        parts.map((or): Filter => ({ or })),
      ),
      weight: 1,
    },
    { arbitrary: inner.map((not): Filter => ({ not })), weight: 1 },
  );
}

/** Records, and searches over them: of filters, or of words with ranking. */
export interface HardSample {
  readonly records: readonly StoredRecord[];
  readonly searches: ReadonlyArray<Params | { readonly prompt: string }>;
}

/** Samples of hard text generated from a seed, each with this many searches. */
export function hardSamples(seed: number, samples: number, searches: number): HardSample[] {
  const record = fc.record({
    title: fc.option(hardPhrases(3), { freq: 9 }),
    body: fc.option(hardPhrases(12), { freq: 9 }),
    state: fc.record({ name: fc.option(hardPhrases(2), { freq: 9 }) }),
  });
  return Array.from({ length: samples }, (_, index) => {
    const of = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number) =>
      fc.sample(arbitrary, { seed: seed + index, numRuns });
    const records = of(record, 60).map((made, number) => ({ id: `r${number}`, ...made }));
    const texts = records
      .flatMap(({ title, body, state }) => [title, body, state.name])
      .filter((text) => text !== null);
    const limits = fc.constantFrom(3, 10, 100);
    const filtered = fc.tuple(filtersNear(texts, 1), limits, fc.constantFrom(undefined, undefined, 'asc', 'desc')).map(
      ([filter, limit, order]): Params => ({
        query: { filter, ...(order !== undefined && { sort: [{ title: order }] }) },
        limit,
      }),
    );
    const ranked = questionsNear(texts).map((prompt) => ({ prompt }));
    const search = fc.oneof({ arbitrary: filtered, weight: 5 }, { arbitrary: ranked, weight: 1 });
    return { records, searches: of(search, searches) };
  });
}
