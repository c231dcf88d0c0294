/** Characters that are not assigned in Unicode 15.0, of which nothing is known. */
const later =
  '88f 897 c5c cdc 1acf-1add 1ae0-1aeb 1b4e-1b4f 1b7f 1c89-1c8a 20c1 2427-2429 2b96 2ffc-2fff 31e4-31e5 31ef a7cb-a7cf ' +
  'a7d2 a7d4 a7da-a7dc a7f1 fbc3-fbd2 fd90-fd91 fdc8-fdce 105c0-105f3 10940-10959 10d40-10d65 10d69-10d85 10d8e-10d8f ' +
  '10ec2-10ec7 10ed0-10ed8 10efa-10efc 11380-11389 1138b 1138e 11390-113b5 113b7-113c0 113c2 113c5 113c7-113ca 113cc-113d5 ' +
  '113d7-113d8 113e1-113e2 116d0-116e3 11b60-11b67 11bc0-11be1 11bf0-11bf9 11db0-11ddb 11de0-11de9 11f5a 13460-143fa ' +
  '16100-16139 16d40-16d79 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18cff 18d09-18d1e 18d80-18df2 1cc00-1ccfc ' +
  '1cd00-1ceb3 1ceba-1ced0 1cee0-1cef0 1e5d0-1e5fa 1e5ff 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 1f6d8 1f777-1f77a 1f8b2-1f8bb ' +
  '1f8c0-1f8c1 1f8d0-1f8d8 1fa54-1fa57 1fa89-1fa8a 1fa8e-1fa8f 1fabe 1fac6 1fac8 1facd 1fadc 1fadf 1fae9-1faea 1faef ' +
  '1fbcb-1fbef 1fbfa 2b73a-2b73f 2cea2-2cead 2ebf0-2ee5d 323b0-33479';
const ranges = later.split(' ').map((range) =>
  range
    .split('-')
    .map((point) => `\\u{${point}}`)
    .join('-'),
);
/** Runs of characters of which nothing is known. */
export const unknown = new RegExp(`((?:[${ranges.join('')}]|\\p{Cn}|\\p{Cs})+)`, 'u');

/** Changes the parts of a text whose characters are known. */
const known = (text: string, change: (part: string) => string): string =>
  text
    .split(unknown)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');

/** Full case folding: the lower case of the upper case, except that a dotless i stays. */
const foldCase = (text: string): string =>
  text
    .replaceAll('ẞ', 'ss')
    .split('ı')
    .map((part) => part.toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
    .join('ı');

/** The form in which `like` and its relatives compare texts. */
export const folded = (text: string): string => known(text, (part) => foldCase(part.normalize('NFD')).normalize('NFC'));

/** The value of a decimal digit of any script: the distance from its zero, which is the first of ten. */
function digitOf(character: string): string {
  let point = character.codePointAt(0)!;
  let value = 0;
  // Scripts with several sets of digits have them one after the other.
  while (/^\p{Nd}$/u.test(String.fromCodePoint(point - 1))) [point, value] = [point - 1, value + 1];
  return String(value % 10);
}

const withoutIota = (text: string): string =>
  /[\u0345\u1f80-\u1fff]/.test(text) ? text.normalize('NFD').split('\u0345').join('').normalize('NFC') : text;

const compatiblePart = (part: string): string =>
  foldCase(
    withoutIota(
      part
        .replace(/([\u0620-\u06ff])\u200c+(?=[\u0620-\u06ff])/g, '$1·')
        .normalize('NFKC')
        .replace(/[\p{Default_Ignorable_Code_Point}\u0640]/gu, ''),
    ),
  )
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, digitOf);

/** The form in which words are found. */
export const compatible = (text: string): string =>
  known(text, compatiblePart)
    .replace(/[‘’‛′ʹ-ʽ׳״]/g, "'")
    .replace(/[‐‑]/g, '-')
    .replace(/⁄/g, '/')
    .replace(/([א-ת])["“”](?=[א-ת])/g, "$1'")
    .replace(/(?<![0-9a-z])([0-9a-z][0-9a-z]?) & (?=[0-9a-z][0-9a-z]?(?![0-9a-z]))/g, '$1&');
