import type { ByteStream, DownloadMeta, Result } from '../action/result.js';
import { type Chunk, readDownload } from './chunk.js';
import { randomToken, visibleJson, visibleText } from './fence.js';
import type { OnFile, StoredFile } from './file.js';
import { type Origin, type Outgoing, type PresentableResult, wholeText } from './present.js';
import { compactJson } from './render/text.js';
import { formsOf } from './schema.js';
import type { OutputBudget } from './tokens.js';
import type { Target } from './toolset.js';

/** A download to perform, and its limits. */
interface DownloadCall {
  readonly target: Target;
  readonly params: Readonly<Record<string, unknown>>;
  readonly run: (params: object) => Promise<Result>;
  readonly origin: Origin;
  readonly budget: OutputBudget;
  readonly onFile: OnFile | undefined;
}

/** Describes a chunk of text, and how to continue. */
function chunkHint({ bytes_returned, next_range_header }: Chunk): string {
  const next =
    next_range_header === null ? 'This is the end.' : `For the next part, pass range_header: "${next_range_header}".`;
  return `These are ${bytes_returned} bytes of text. ${next}`;
}

/** Where a file is stored, or who can download it. */
const fileHint = ({ handle }: StoredFile, where: string): string =>
  handle === null
    ? `Binary content, not shown. A program can get it with the connector's execute method (${where}) or the onFile option of these tools.`
    : 'The file was saved under the returned handle; its contents are not shown.';

/** A chunk of text, or information about a file whose bytes are only for the host. */
export async function download({ target, params, run, origin, budget, onFile }: DownloadCall): Promise<Outgoing> {
  const { entity, action } = target;
  const { range_header, ...others } = params;
  const takesRange = formsOf(action.params).some(({ properties = {} }) => 'range_header' in properties);
  const open = (range: string | undefined) =>
    run({ ...others, ...(range !== undefined && { range_header: range }) }) as Promise<
      Result<ByteStream, DownloadMeta>
    >;
  // Use one mark for all attempts, so that the chunk has as many tokens as measured.
  const mark = randomToken();
  const present = (about: object, text: string | undefined, hint: string): PresentableResult => {
    const line = visibleJson(compactJson(about));
    const body = visibleText((text ?? '').replace(/^\ufeff/, ''));
    return {
      ...origin,
      content: {
        text: text === undefined ? line.text : `meta ${line.text}\n${body.text}`,
        hidden: line.hidden + body.hidden,
      },
      count: undefined,
      hints: [hint],
      mark,
      narrow: () => 'To reduce the result: use a smaller range_header.',
    };
  };
  const asText = (chunk: Chunk, meta: DownloadMeta) => present(meta, chunk.content, chunkHint(chunk));
  const tokensOf = (chunk: Chunk, all: DownloadMeta) => budget.count(wholeText(asText(chunk, all)));
  const read = await readDownload(open, range_header, { takesRange, tokensOf, max: budget.max, onFile });
  // No part was requested, so a whole response needs no notice.
  const meta = range_header === undefined ? { ...read.meta, notice: null } : read.meta;
  if ('chunk' in read) return { result: asText(read.chunk, meta), data: read.chunk, meta };
  const { notes, notice } = meta;
  const result = present(
    { ...read.file, notes, notice },
    undefined,
    fileHint(read.file, `${entity.name}.${action.name}`),
  );
  return { result, data: read.file, meta };
}
