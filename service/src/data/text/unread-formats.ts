import type { FileFormat } from './file-format.js';

/** A format that is recognized, so that its files are not reported as unknown, or indexed as text that nobody wrote. */
const unread = (
  title: string,
  {
    extensions,
    types = '',
    magic = '',
  }: Readonly<Record<'extensions', string> & Partial<Record<'types' | 'magic', string>>>,
): FileFormat => ({
  title,
  extensions: extensions.split(' '),
  types: types === '' ? [] : types.split(' ').map((type) => (type.includes('/') ? type : `application/${type}`)),
  magic: magic === '' ? [] : magic.split(' '),
  coverage: 'Not supported.',
});

/** Documents of programs whose files are not read. */
export const unreadFormats = {
  ppt: unread('a PowerPoint 97-2003 presentation', { extensions: 'ppt pps pot', types: 'vnd.ms-powerpoint' }),
  visio: unread('a Visio drawing', {
    extensions: 'vsdx vsdm vstx vssx vsd',
    types: 'vnd.visio vnd.ms-visio.drawing vnd.ms-visio.drawing.main+xml vnd.visio2013',
  }),
  oneNote: unread('a OneNote notebook', {
    extensions: 'one onetoc2 onepkg',
    types: 'onenote msonenote',
    magic: 'e4525c7b8cd8a74daeb15378d02996d3 a12fff43d9ef764c9ee210ea5722765f',
  }),
  publisher: unread('a Publisher document', { extensions: 'pub', types: 'x-mspublisher vnd.ms-publisher' }),
  project: unread('a Project plan', { extensions: 'mpp mpt', types: 'vnd.ms-project msproject' }),
  outlookData: unread('an Outlook data file', {
    extensions: 'pst ost',
    types: 'vnd.ms-outlook-pst',
    magic: '2142444e',
  }),
  database: unread('a database', {
    extensions: 'accdb mdb sqlite sqlite3 odb',
    types:
      'vnd.ms-access msaccess x-msaccess vnd.sqlite3 x-sqlite3 vnd.oasis.opendocument.base vnd.oasis.opendocument.database',
    magic: '000100005374616e64617264 53514c69746520666f726d6174',
  }),
  xps: unread('an XPS document', { extensions: 'xps oxps', types: 'vnd.ms-xpsdocument oxps' }),
  cad: unread('a CAD drawing', {
    extensions: 'dwg dxf dgn',
    types: 'image/vnd.dwg image/vnd.dxf image/x-dwg image/x-dxf acad dxf',
    magic: '41433130',
  }),
  wordPerfect: unread('a WordPerfect document', { extensions: 'wpd', types: 'vnd.wordperfect', magic: 'ff575043' }),
  hangul: unread('a Hangul document', {
    extensions: 'hwp hwpx',
    types: 'x-hwp haansofthwp vnd.hancom.hwp vnd.hancom.hwpx hwp+zip',
  }),
  postScript: unread('a PostScript file', { extensions: 'ps eps', types: 'postscript', magic: '25215053' }),
  design: unread('an InDesign or Sketch document', {
    extensions: 'indd sketch',
    types: 'x-indesign x-sketch',
    magic: '0606edf5d81d46e5bd31efe7fe74b71d',
  }),
  otherBook: unread('a Kindle or DjVu book', {
    extensions: 'mobi azw azw3 djvu',
    types: 'x-mobipocket-ebook vnd.amazon.ebook vnd.amazon.mobi8-ebook image/vnd.djvu',
    magic: `41542654464f524d ${'..'.repeat(60)}424f4f4b4d4f4249`,
  }),
  webArchive: unread('a Safari web archive', {
    extensions: 'webarchive',
    types: 'x-webarchive',
    magic: '62706c6973743030',
  }),
} satisfies Readonly<Record<string, FileFormat>>;
