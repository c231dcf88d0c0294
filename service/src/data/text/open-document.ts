import { Parts } from './archive.js';
import { HiddenContent } from './hidden.js';
import { htmlText } from './html.js';
import { InnerDocuments } from './inner.js';
import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { sourceOf } from './parts.js';
import { decodeText } from './plain.js';
import type { Extract, ReadOptions } from './result.js';
import { rowText } from './table.js';
import { UnreadableError } from './unreadable.js';

/** Skipped: deleted text, index sources, pronunciations, scripts, a note's number, and stand-ins for sheets' names. */
const skippedElements = new Set(
  'tracked-changes deletion sequence-decls variable-decls scripts ruby-text note-citation event-listeners sheet-name binary-data'.split(
    ' ',
  ),
);
/** What contains text in a comment, besides its author and date. */
const commentElements = new Set(['p', 'h', 'list']);
/** What contains fields; elsewhere, a title describes an image. */
const inlineElements = new Set(['p', 'h', 'span', 'a', 'meta', 'meta-field']);
const lineBreaks = new Set(['line-break', 'soft-page-break']);
const hiddenKinds: Readonly<Record<string, string>> = {
  table: 'sheets',
  'table-row': 'rows',
  'table-cell': 'cells',
  page: 'slides',
  section: 'sections',
};
const cellElements = new Set(['table-cell', 'covered-table-cell']);
/** Controls of forms that display a label or a value. */
const controls = new Set(
  'button checkbox combobox date fixed-text formatted-text frame number radio text textarea time'.split(' '),
);
/** A cell or row may claim to be repeated until the end of the sheet. */
const maxRepeated = 1000;

/** Text of an OpenDocument file: a text, spreadsheet, presentation or drawing, packaged or as a single XML file. */
export async function openDocumentText(
  bytes: Uint8Array,
  { indexesHidden, readInner }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const hidden = new HiddenContent(indexesHidden);
  if (bytes[0] !== 0x50) {
    const { text } = await contentText(decodeText(bytes), hidden);
    return { text, missing: hidden.missing };
  }
  const parts = Parts.open(bytes);
  const source = (path: string) => sourceOf(parts, path);
  if (/<(?:\w+:)?encryption-data\b/.test(source('META-INF/manifest.xml'))) {
    throw new UnreadableError('password', 'It is password-protected.');
  }
  if (!parts.has('content.xml')) throw new Error('It has no content part.');
  const main = source('content.xml');
  if (isFormula(main)) return htmlText(main);
  const content = await contentText(main, hidden);
  const embedded = new InnerDocuments('embedded document', readInner);
  const texts = [content.text];
  for (const path of content.objects) {
    const inner = source(`${path}/content.xml`);
    // A formula is in MathML, as in web pages; other objects are documents of their own, or of other programs.
    if (isFormula(inner)) texts.push(await htmlText(inner));
    else if (inner !== '') texts.push((await contentText(inner, hidden)).text);
    else if (parts.has(path)) texts.push(await embedded.sectionOf(parts.read(path)!, path));
  }
  // Headers and footers are in the page styles.
  const repeated = await contentText(
    source('styles.xml'),
    hidden,
    new Set(['header', 'header-first', 'header-left', 'footer', 'footer-first', 'footer-left']),
  );
  texts.push(repeated.text);
  return { text: texts.filter((text) => text !== '').join('\n\n'), missing: embedded.missing ?? hidden.missing };
}

const isFormula = (source: string): boolean => /<(?:\w+:)?math\b[^>]*MathML/.test(source.slice(0, 4096));

/** What the control of a form displays. */
const controlText = (name: string, attributes: Readonly<Record<string, string>>): string =>
  name === 'option'
    ? attributes['form:current-selected'] === 'true' || attributes['form:selected'] === 'true'
      ? (attributes['form:label'] ?? '')
      : ''
    : controls.has(name)
      ? (attributes['form:label'] ?? attributes['form:current-value'] ?? attributes['form:value'] ?? '')
      : '';

/** Text of a content part and the objects embedded in it, or only of some of its elements. */
async function contentText(
  source: string,
  hidden: HiddenContent,
  onlyIn?: ReadonlySet<string>,
): Promise<{ readonly text: string; readonly objects: ReadonlySet<string> }> {
  /** Paths of embedded objects. */
  const objects = new Set<string>();
  /** Hidden columns of the open table, and the column of the open cell. */
  let hiddenColumns: Array<readonly [first: number, last: number]> = [];
  let columns = 0;
  let column = 0;
  const lines: string[] = [];
  const hiddenStyles = new Set<string>();
  const lists: string[] = [];
  /** Cells of the open rows; tables can be nested. */
  const rows: string[][] = [];
  const notes: string[] = [];
  /** Texts of the open paragraphs; a paragraph can contain frames and notes with paragraphs. */
  const paragraphs: string[] = [];
  const path: string[] = [];
  let style = '';
  let skipped = 0;
  let inside = onlyIn ? 0 : 1;
  let length = 0;
  let heading = 0;
  let value = '';
  /** What is skipped because it is hidden; undefined once its text has been counted. */
  let hiddenKind: string | undefined;
  /** Precedes the next text, if it is hidden. */
  let marker = '';
  let repeated = 1;
  /** Further empty cells before the next one of the open row. */
  let gap = 0;
  let sheet = '';

  const write = (text: string) => {
    if (paragraphs.length > 0) paragraphs[paragraphs.length - 1] += text;
  };
  const addLine = (line: string, separator = '\n\n') => {
    if (line === '') return;
    const text = marker + line;
    marker = '';
    const row = rows.at(-1);
    if (row) row[row.length - 1] = [row.at(-1), text].filter(Boolean).join('\n');
    else lines.push((lines.length > 0 ? separator : '') + text);
    length += text.length;
  };
  const isHidden = (attributes: Readonly<Record<string, string>>) =>
    Object.entries(attributes).some(
      ([key, name]) =>
        (key.endsWith('style-name') && hiddenStyles.has(name)) ||
        (key === 'table:visibility' && name !== 'visible') ||
        (key === 'text:display' && name === 'none') ||
        (key === 'text:is-hidden' && name === 'true'),
    );
  const isAbout = (name: string) =>
    (path.at(-1) === 'annotation' && !commentElements.has(name)) || (name === 'meta' && paragraphs.length === 0);
  const isDescription = (name: string) =>
    (name === 'title' || name === 'desc') && !inlineElements.has(path.at(-1) ?? '');

  await readMarkup(source, true, {
    open(name, attributes) {
      const attribute = (key: string) => attributes[key] ?? '';
      if (name === 'style') style = attribute('style:name');
      if (
        attributes['table:display'] === 'false' ||
        attributes['text:display'] === 'none' ||
        attributes['presentation:visibility'] === 'hidden'
      ) {
        hiddenStyles.add(style);
      }
      const isUnused = skippedElements.has(name) || attributes['style:display'] === 'false';
      if (skipped > 0 || isUnused || isAbout(name)) {
        skipped += 1;
        return;
      }
      if (name === 'table') [hiddenColumns, columns] = [[], 0];
      else if (name === 'table-row') column = 0;
      const copies = Number(attribute('table:number-columns-repeated')) || 1;
      if (name === 'table-column') {
        if (isHidden(attributes) && hiddenColumns.length < maxRepeated) hiddenColumns.push([columns, columns + copies]);
        columns += copies;
        skipped = 1;
        return;
      }
      const at = column;
      if (cellElements.has(name)) column += copies;
      const isInHiddenColumn =
        cellElements.has(name) && hiddenColumns.some(([first, last]) => at >= first && at < last);
      if (isHidden(attributes) || isInHiddenColumn) {
        if (!hidden.isIndexed || inside === 0) {
          skipped = 1;
          hiddenKind = inside > 0 ? (hiddenKinds[name] ?? 'pieces of text') : undefined;
          return;
        }
        marker = '[Hidden] ';
      }
      const isParagraph = name === 'p' || name === 'h' || isDescription(name);
      path.push(name);
      if (onlyIn?.has(name)) inside += 1;
      if (inside === 0) return;
      if (isParagraph) {
        paragraphs.push('');
        heading = name === 'h' ? Math.min(6, Math.max(1, Number(attribute('text:outline-level')) || 1)) : 0;
      } else if (name === 's') write(' '.repeat(Math.min(100, Number(attribute('text:c')) || 1)));
      else if (name === 'tab') write(' ');
      else if (lineBreaks.has(name)) write('\n');
      else if (name === 'list') lists.push('');
      else if (name === 'list-item' && lists.length > 0) lists[lists.length - 1] = `${'  '.repeat(lists.length - 1)}- `;
      else if (name === 'table') sheet = attribute('table:name');
      else if (name === 'table-row') {
        rows.push([]);
        gap = 0;
      } else if (cellElements.has(name)) {
        const row = rows.at(-1);
        for (; row && gap > 0 && row.length < maxRepeated; gap -= 1) row.push('');
        gap = 0;
        row?.push('');
        value = attribute('office:string-value') || attribute('office:date-value') || attribute('office:value');
        repeated = copies;
      } else if (name === 'note') notes.push('');
      else if (name === 'object' || name === 'object-ole') {
        const path = attribute('xlink:href').replace(/^\.\//, '');
        if (path !== '' && objects.size < maxRepeated) objects.add(path);
      }
      const control = controlText(name, attributes);
      if (control !== '') addLine(control);
    },
    text(text) {
      if (skipped === 0 && paragraphs.length > 0) write(text.replace(/\s+/g, ' '));
      else if (hiddenKind !== undefined && text.trim() !== '') {
        hidden.leaveOut(hiddenKind);
        hiddenKind = undefined;
      }
    },
    close(name) {
      if (skipped > 0) {
        skipped -= 1;
        if (skipped === 0) hiddenKind = undefined;
        return;
      }
      path.pop();
      if (name in hiddenKinds) marker = '';
      if (onlyIn?.has(name)) inside -= 1;
      if (name === 'p' || name === 'h' || isDescription(name)) {
        const text = (paragraphs.pop() ?? '').replace(/ +/g, ' ').trim();
        if (text === '') return;
        const item = lists.at(-1) ?? '';
        if (name === 'h' && heading > 0 && rows.length === 0) addLine(`${'#'.repeat(heading)} ${text}`);
        else addLine(rows.length > 0 ? text : item + text, lists.length > 0 ? '\n' : '\n\n');
        // Further paragraphs of a list item are indented.
        if (lists.length > 0) lists[lists.length - 1] = item.replace('- ', '  ');
      } else if (name === 'list') lists.pop();
      else if (cellElements.has(name)) {
        const row = rows.at(-1);
        if (name === 'table-cell' && row?.at(-1) === '' && value !== '') row[row.length - 1] = value;
        const cell = row?.at(-1) ?? '';
        const more = Math.min(repeated, maxRepeated) - 1;
        if (cell === '') gap = more;
        else for (let copy = 0; copy < more; copy += 1) row!.push(cell);
      } else if (name === 'table-row') {
        const row = rows.pop()!;
        const cells = row.filter((cell) => cell !== '');
        if (cells.length === 0) return;
        if (sheet !== '' && rows.length === 0) addLine(`# ${sheet}`);
        const isFirst = sheet !== '';
        sheet = '';
        const isLayout = cells.some((cell) => cell.includes('\n'));
        addLine(isLayout ? cells.join('\n\n') : rowText(row), isLayout || isFirst ? '\n\n' : '\n');
      }
    },
    length: () => length,
  });
  return { text: exceedsLimit(length) ? lines.join('') : lines.join('').trimEnd(), objects };
}
