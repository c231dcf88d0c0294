import { describe, expect, it } from 'vitest';
import { collection, kinds, searchIds, tasks } from './fixtures.js';

/** Titles, and questions with the numbers of the titles that they must find. */
interface Language {
  readonly titles: readonly string[];
  readonly questions: ReadonlyArray<readonly [question: string, found: readonly number[]]>;
}

const languages: Readonly<Record<string, Language>> = {
  'Korean, with particles': {
    titles: [
      '분기 보고서를 검토했습니다',
      '서울에서 회의가 열립니다',
      '고객이 환불을 요청함',
      '배송은 내일입니다',
      '부산 사무실의 계약서',
    ],
    questions: [
      ['보고서', [0]],
      ['회의', [1]],
      ['서울', [1]],
      ['환불', [2]],
      ['고객', [2]],
      ['배송', [3]],
      ['사무실을', [4]],
      ['계약서', [4]],
    ],
  },
  'Arabic, vocalised': {
    titles: ['كِتَابُ ٱلْحِسَابَاتِ', 'اجتماع المجلس غدًا', 'تَقْرِيرُ المَبِيعَاتِ', 'إدارة المشاريع', 'فاتورة جديدة للعميل'],
    questions: [
      ['كتاب', [0]],
      ['الحسابات', [0]],
      ['مجلس', [1]],
      ['اجتماع', [1]],
      ['تقرير', [2]],
      ['المبيعات', [2]],
      ['ادارة', [3]],
      ['فَاتُورَة', [4]],
    ],
  },
  'Hebrew, pointed': {
    titles: ['שָׁלוֹם לְכֻלָּם', 'הפגישה נדחתה', 'דּוּחַ מְכִירוֹת', 'חשבונית חדשה ללקוח', 'משרד בתל אביב'],
    questions: [
      ['שלום', [0]],
      ['פגישה', [1]],
      ['דוח', [2]],
      ['מכירות', [2]],
      ['חשבונית', [3]],
      ['לקוח', [3]],
      ['מִשְׂרָד', [4]],
    ],
  },
  Greek: {
    titles: [
      'ΛΟΓΟΣ ΚΑΙ ΤΙΜΟΛΟΓΙΟ',
      'Η συνάντηση αναβλήθηκε',
      'Έκθεση πωλήσεων',
      'Νέος πελάτης στην Αθήνα',
      'Ο μεταφορέας άργησε',
    ],
    questions: [
      ['λόγος', [0]],
      ['τιμολόγιο', [0]],
      ['ΣΥΝΑΝΤΗΣΗ', [1]],
      ['εκθεση', [2]],
      ['πωλησεων', [2]],
      ['ΠΕΛΑΤΗΣ', [3]],
      ['Αθηνα', [3]],
    ],
  },
  Polish: {
    titles: [
      'Łódź: nowe biuro',
      'Zażółć gęślą jaźń',
      'Faktura dla klienta',
      'Spotkanie przełożone na środę',
      'Księgowość i płatności',
    ],
    questions: [
      ['lodz', [0]],
      ['ŁÓDŹ', [0]],
      ['zazolc', [1]],
      ['gesla', [1]],
      ['faktura', [2]],
      ['przelozone', [3]],
      ['środę', [3]],
      ['ksiegowosc', [4]],
      ['platnosci', [4]],
    ],
  },
  Khmer: {
    titles: ['ការប្រជុំនៅភ្នំពេញ', 'វិក្កយបត្រថ្មី', 'របាយការណ៍លក់', 'អតិថិជនស្នើសុំប្រាក់វិញ', 'ការិយាល័យសៀមរាប'],
    questions: [
      ['ការប្រជុំ', [0]],
      ['ភ្នំពេញ', [0]],
      ['វិក្កយបត្រ', [1]],
      ['របាយការណ៍', [2]],
      ['អតិថិជន', [3]],
      ['សៀមរាប', [4]],
    ],
  },
};

const all = Object.entries(languages).flatMap(([language, { titles }]) =>
  titles.map((title, index) => ({ id: `${language} ${index}`, title })),
);
/** The same titles as some systems write them. */
const decomposed = all.map(({ id, title }) => ({ id: `${id} NFD`, title: title.normalize('NFD') }));

/** A text without marks, for judging whether a record has anything to do with a question. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
    .normalize('NFKC')
    .toLowerCase();

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('keyword finds words of other languages, and hardly any others; contains finds both spellings of a text', async () => {
    const store = await open([tasks]);
    await store.write(collection, [...all, ...decomposed]);
    const ids = (operator: string, question: string) =>
      searchIds(store, { query: { filter: { [operator]: { title: question } } }, limit: 100 });
    for (const [language, { titles, questions }] of Object.entries(languages)) {
      let [missed, wrong] = [0, 0];
      for (const [question, numbers] of questions) {
        const wanted = numbers.flatMap((number) => [`${language} ${number}`, `${language} ${number} NFD`]);
        const found = await ids('keyword', question);
        if (!wanted.every((id) => found.includes(id))) missed++;
        const others = found.filter((id) => !wanted.includes(String(id)));
        const titleOf = new Map([...all, ...decomposed].map(({ id, title }) => [id, title]));
        wrong += others.filter((id) => !plain(titleOf.get(String(id))!).includes(plain(question).slice(0, 2))).length;
      }
      expect([language, missed <= 1, wrong <= 2], `${language}: ${missed} missed, ${wrong} wrong`).toEqual([
        language,
        true,
        true,
      ]);
      for (const form of ['NFC', 'NFD']) {
        for (const [index, title] of titles.entries()) {
          const both = [`${language} ${index}`, `${language} ${index} NFD`];
          expect(await ids('contains', title.normalize(form))).toEqual(both);
          const [first] = title.normalize(form).split(' ');
          expect(await ids('startswith', first!)).toEqual(expect.arrayContaining(both));
        }
      }
    }
  });
});
