import type { FileFormat } from './file-format.js';
import { unreadFormats } from './unread-formats.js';

const office = 'application/vnd.openxmlformats-officedocument.';
const openDocument = 'application/vnd.oasis.opendocument.';
const words = (text: string): readonly string[] => text.split(' ');
const typesOf = (prefix: string, names: string): readonly string[] => words(names).map((name) => prefix + name);

/** Every format that the service knows; `docs/documents.md` lists them. */
export const formats = {
  plain: {
    title: 'a text file',
    extensions: words('txt md markdown rst csv tsv log json jsonl ndjson xml yaml yml toml ini conf sql tex'),
    types: typesOf('application/', 'csv javascript json json5 jsonlines ld ndjson sql toml typescript xml yaml'),
    read: async () => (await import('./plain.js')).plainText,
    coverage:
      'The whole file, with the characters that JSON and XML escape; lines of calendars and contacts are unfolded. Images and other files encoded in it are left out.',
  },
  notebook: {
    title: 'a Jupyter notebook',
    extensions: words('ipynb'),
    types: typesOf('application/', 'x-ipynb+json vnd.jupyter'),
    read: async () => (await import('./notebook.js')).notebookText,
    coverage: 'Text, code and outputs of all cells, as text; not images and interactive outputs.',
  },
  html: {
    title: 'a web page',
    extensions: words('html htm xhtml'),
    types: words('text/html application/xhtml+xml'),
    read: async () => (await import('./html.js')).pageText,
    coverage:
      'Headings, paragraphs, lists, tables, choices, descriptions of images, and words of drawings; not scripts, styles, metadata, and elements hidden by their attributes.',
  },
  pdf: {
    title: 'a PDF',
    extensions: words('pdf'),
    types: words('application/pdf application/x-pdf'),
    magic: ['255044462d'],
    read: async () => (await import('./pdf.js')).pdfText,
    coverage:
      'The text of all pages, comments, the values of form fields, and attachments in formats that are read, with the names of others; scanned pages have no text.',
  },
  docx: {
    title: 'a Word document',
    extensions: words('docx docm dotx dotm'),
    types: [
      ...typesOf(`${office}wordprocessingml.`, 'document template'),
      ...typesOf('application/vnd.ms-word.', 'document.macroenabled.12 template.macroenabled.12'),
    ],
    read: async () => (await import('./docx.js')).docxText,
    coverage:
      'Headings, paragraphs, numbered lists, tables, text boxes, equations, diagrams, charts, notes, headers, footers, comments, watermarks, chosen values of forms, descriptions of images, imported and embedded documents.',
  },
  xlsx: {
    title: 'an Excel workbook',
    extensions: words('xlsx xlsm xltx xltm xlam'),
    types: [
      ...typesOf(`${office}spreadsheetml.`, 'sheet template'),
      ...typesOf('application/vnd.ms-excel.', 'sheet.macroenabled.12 template.macroenabled.12 addin.macroenabled.12'),
    ],
    read: async () => (await import('./xlsx.js')).xlsxText,
    coverage:
      'The cells of all sheets, a line per row, with numbers as displayed and as stored; choices and hints of cells, text boxes, chart titles, comments, descriptions of images, embedded documents, headers and footers.',
  },
  pptx: {
    title: 'a PowerPoint presentation',
    extensions: words('pptx pptm potx potm ppsx ppsm'),
    types: [
      ...typesOf(`${office}presentationml.`, 'presentation template slideshow'),
      ...typesOf(
        'application/vnd.ms-powerpoint.',
        'presentation.macroenabled.12 template.macroenabled.12 slideshow.macroenabled.12',
      ),
    ],
    read: async () => (await import('./pptx.js')).pptxText,
    coverage:
      'Titles, text boxes, equations, tables, diagrams, charts, comments, speaker notes, descriptions of images and embedded documents of all slides; footers and words of masters once.',
  },
  word2003: {
    title: 'a Word 2003 XML document',
    extensions: [],
    types: [],
    read: async () => (await import('./word-2003.js')).word2003Text,
    coverage: 'Headings, paragraphs, lists, tables, text boxes, notes, comments, headers and footers.',
  },
  doc: {
    title: 'a Word 97-2003 document',
    extensions: words('doc dot'),
    types: ['application/msword'],
    read: async () => (await import('./legacy-office.js')).docText,
    coverage:
      'Paragraphs and tables; footnotes, endnotes, comments, text boxes, headers and footers at the end. No hidden text is left out.',
    isOftenText: true,
  },
  xls: {
    title: 'an Excel 97-2003, 2003 XML or binary workbook',
    extensions: words('xls xlt xlsb'),
    types: typesOf('application/', 'vnd.ms-excel vnd.ms-excel.sheet.binary.macroenabled.12'),
    read: async () => (await import('./legacy-office.js')).xlsText,
    coverage: 'The cells and comments of all visible sheets, rows and columns, as displayed.',
    isOftenText: true,
  },
  odt: {
    title: 'an OpenDocument text',
    extensions: words('odt ott odm fodt sxw'),
    types: [...typesOf(openDocument, 'text text-template text-master text-flat-xml'), 'application/vnd.sun.xml.writer'],
    read: async () => (await import('./open-document.js')).openDocumentText,
    coverage:
      'Headings, paragraphs, lists, tables, text boxes, notes, comments, forms, headers, footers, formulas, charts and embedded documents; not deleted text.',
  },
  ods: {
    title: 'an OpenDocument spreadsheet',
    extensions: words('ods ots fods sxc'),
    types: [
      ...typesOf(openDocument, 'spreadsheet spreadsheet-template spreadsheet-flat-xml'),
      'application/vnd.sun.xml.calc',
    ],
    read: async () => (await import('./open-document.js')).openDocumentText,
    coverage:
      'The cells and comments of all visible sheets, rows and columns, as displayed; formulas, charts and embedded documents.',
  },
  odp: {
    title: 'an OpenDocument presentation',
    extensions: words('odp otp odg otg fodp fodg sxi sxd'),
    types: [
      ...typesOf(openDocument, 'presentation presentation-template presentation-flat-xml graphics graphics-template'),
      ...typesOf('application/vnd.sun.xml.', 'impress draw'),
    ],
    read: async () => (await import('./open-document.js')).openDocumentText,
    coverage: 'The text of all visible slides, with notes, formulas, charts and embedded documents.',
  },
  odf: {
    title: 'an OpenDocument formula or chart',
    extensions: words('odf odc'),
    types: typesOf(openDocument, 'formula chart'),
    read: async () => (await import('./open-document.js')).openDocumentText,
    coverage: 'Formulas in a line; titles and values of charts.',
  },
  rtf: {
    title: 'a Rich Text document',
    extensions: words('rtf'),
    types: words('text/rtf application/rtf text/richtext'),
    magic: ['7b5c727466'],
    read: async () => (await import('./rtf.js')).rtfText,
    coverage:
      'Paragraphs, tables, text boxes, formulas, footnotes, comments, headers, footers and embedded documents; not deleted text.',
  },
  eml: {
    title: 'an email',
    extensions: words('eml mht mhtml'),
    types: words('message/rfc822 multipart/related application/x-mimearchive'),
    read: async () => (await import('./email.js')).emailText,
    coverage: 'Subject, people, date, body, invitation, and attachments in formats that are read; the names of others.',
  },
  mbox: {
    title: 'a mailbox',
    extensions: words('mbox'),
    types: ['application/mbox'],
    read: async () => (await import('./mailbox.js')).mailboxText,
    coverage: 'All messages, as emails.',
  },
  epub: {
    title: 'an EPUB book',
    extensions: words('epub'),
    types: ['application/epub+zip'],
    read: async () => (await import('./epub.js')).epubText,
    coverage: 'Title, authors and all chapters.',
  },
  tnef: {
    title: 'an Outlook attachment (winmail.dat)',
    extensions: words('tnef'),
    types: typesOf('application/', 'ms-tnef vnd.ms-tnef'),
    magic: ['789f3e22'],
    coverage: 'Not supported.',
  },
  msg: {
    title: 'an Outlook message',
    extensions: words('msg'),
    types: ['application/vnd.ms-outlook'],
    read: async () => (await import('./outlook.js')).outlookText,
    coverage: 'Subject, people, date, body, and attachments in formats that are read; the names of others.',
  },
  ...unreadFormats,
  iwork: {
    title: 'a Pages, Numbers or Keynote document',
    extensions: words('pages numbers key'),
    types: [
      ...typesOf('application/x-iwork-', 'pages-sffpages numbers-sffnumbers keynote-sffkey'),
      ...typesOf('application/vnd.apple.', 'pages numbers keynote'),
    ],
    coverage: 'Not supported.',
    // `.key` is also the extension of PEM files.
    isOftenText: true,
  },
  zip: {
    title: 'an archive',
    extensions: words('zip 7z rar gz tgz tar bz2 xz jar'),
    types: typesOf(
      'application/',
      'zip x-zip-compressed x-7z-compressed vnd.rar x-rar-compressed gzip x-gzip x-tar x-bzip2 x-xz java-archive',
    ),
    magic: words('504b0304 504b0506 377abcaf271c 526172211a07 1f8b 425a68 fd377a585a00'),
    coverage: 'Files in archives are not read.',
    isWithoutText: true,
  },
  compound: {
    title: 'a compound file of an unknown program',
    extensions: [],
    types: [],
    magic: ['d0cf11e0'],
    coverage: 'Not supported.',
  },
  media: {
    title: 'an image, a recording or a font',
    extensions: words(
      'png jpg jpeg gif webp tif tiff bmp heic svg ico mp3 wav m4a ogg flac mp4 mov avi webm mkv ttf otf',
    ),
    types: [],
    magic: words(
      '89504e47 ffd8ff 47494638 52494646 49492a00 4d4d002a 424d........0000 ........66747970 494433 4f676753 664c6143 1a45dfa3 774f4646 774f4632 00010000',
    ),
    coverage: 'Text in images and recordings is not recognized.',
    isWithoutText: true,
  },
} satisfies Readonly<Record<string, FileFormat>>;

/** The name of a format in the table. */
export type Format = keyof typeof formats;
