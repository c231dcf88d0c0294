const google = 'application/vnd.google-apps.';

/** Google's own types in the sandbox. */
export const types = {
  folder: `${google}folder`,
  shortcut: `${google}shortcut`,
  document: `${google}document`,
  spreadsheet: `${google}spreadsheet`,
  presentation: `${google}presentation`,
  drawing: `${google}drawing`,
  form: `${google}form`,
  script: `${google}script`,
} as const;

/** Office types keyed by the Google type that exports to them. */
export const office = {
  document: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  spreadsheet: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  presentation: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
} as const;

/** Whether a type is native to Google. Files of native types have no bytes. */
export function isNative(mimeType: string): boolean {
  return mimeType.startsWith(google);
}

/** Export formats for each Google type. */
export const exportFormats: Readonly<Record<string, readonly string[]>> = {
  [types.document]: [
    'text/plain',
    'text/markdown',
    'text/html',
    'application/rtf',
    'application/pdf',
    office.document,
    'application/zip',
  ],
  [types.spreadsheet]: ['text/csv', 'text/tab-separated-values', 'application/pdf', office.spreadsheet],
  [types.presentation]: ['text/plain', 'application/pdf', office.presentation],
  [types.drawing]: ['image/svg+xml', 'image/png', 'application/pdf'],
  [types.script]: ['application/vnd.google-apps.script+json'],
};

/** Types that can be converted to Google types on upload. */
export const importFormats: Readonly<Record<string, readonly string[]>> = {
  'text/plain': [types.document],
  'text/markdown': [types.document],
  'text/html': [types.document],
  'text/csv': [types.spreadsheet],
  'text/tab-separated-values': [types.spreadsheet],
};

const byExtension: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  xml: 'text/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  js: 'text/javascript',
  ts: 'text/x-typescript',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  zip: 'application/zip',
  docx: office.document,
  xlsx: office.spreadsheet,
  pptx: office.presentation,
};

/** The MIME type for a file name. */
export function typeOfName(name: string): string {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return byExtension[extension] ?? 'application/octet-stream';
}
