/** How to extract a file's text. */
export type Format = 'plain' | 'html' | 'pdf' | 'docx' | 'xlsx' | 'pptx';

const office = 'application/vnd.openxmlformats-officedocument.';

const byType: Readonly<Record<string, Format | null>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  [`${office}wordprocessingml.document`]: 'docx',
  [`${office}spreadsheetml.sheet`]: 'xlsx',
  [`${office}presentationml.presentation`]: 'pptx',
  // These have a `text/` type but no readable text.
  'text/rtf': null,
};

const plain =
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$|^application\/(?:csv|javascript|json5|jsonlines|ld|ndjson|sql|toml|typescript|x-(?:javascript|jsonlines|ndjson|sh|tex|toml|yaml))$/;

const byExtension: Readonly<Record<string, Format>> = {
  htm: 'html',
  html: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
  xlsx: 'xlsx',
  pptx: 'pptx',
  ...Object.fromEntries(
    'conf csv ini json jsonl log md markdown ndjson rst sql tex toml tsv txt xml yaml yml'
      .split(' ')
      .map((extension) => [extension, 'plain' as const]),
  ),
};

/** A file's format; null if it has no text. The file name is used only if the type is generic. */
export function formatOf(mimeType: string, fileName: string): Format | null {
  const type = mimeType.split(';')[0]!.trim().toLowerCase();
  if (type === '' || /^(?:application|binary)\/octet-stream$/.test(type)) {
    const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
    return Object.hasOwn(byExtension, extension) ? byExtension[extension]! : null;
  }
  if (Object.hasOwn(byType, type)) return byType[type]!;
  return plain.test(type) ? 'plain' : null;
}
