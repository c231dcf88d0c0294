import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolResult } from '../tools/agent-tools.js';
import { hiddenNotice, randomToken, visibleJson, warning } from '../tools/fence.js';
import { estimateTokens } from '../tools/tokens.js';
import type { Files } from './files.js';

/** Source of a result's data. */
export interface Origin {
  readonly title: string;
  readonly provenance: string;
}

type Data = Readonly<Record<string, unknown>>;

/** Key under which programs find the handle of a truncated result; models see it in the text. */
const continueKey = 'agent-connectors/continue';

/** Replaces text that is too long to include twice. */
const tooLong = 'Too large for structured content; see the text, or request less data.';

/** A tool result in protocol form: text for the model, and structured content, which some clients show instead. */
export function resultOf(
  { text, data, isError }: ToolResult,
  origin: Origin | undefined,
  { maxTokens, files }: { readonly maxTokens: number; readonly files: Files },
) {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  if (isError) return { content, isError };
  const { continue: handle } = (data ?? {}) as Data;
  const more = handle === undefined ? {} : { continue: handle };
  if (origin) content.push(...linksOf(data as Data | undefined, origin, files));
  const room = maxTokens - estimateTokens(text);
  const candidates = [origin ? fenceData(data as Data, origin) : (data as Data), { text, ...more }];
  const fitting = candidates.find((each) => each !== undefined && estimateTokens(JSON.stringify(each)) <= room);
  return {
    content,
    structuredContent: { ...(fitting ?? { text: tooLong, ...more }) },
    ...(handle !== undefined && { _meta: { [continueKey]: handle } }),
  } satisfies CallToolResult;
}

/** URIs of stored files. File names may come from a vendor, so they appear only inside the fence. */
function linksOf(result: Data | undefined, { provenance }: Origin, files: Files): CallToolResult['content'] {
  const all = [result, ...((result?.results ?? []) as Data[])];
  return all.flatMap((each) => {
    const uri = (each?.data as { handle?: unknown } | null | undefined)?.handle;
    const file = files.find(uri);
    if (!file) return [];
    const { mimeType, bytes } = file;
    return { type: 'resource_link' as const, uri: String(uri), name: provenance, mimeType, size: bytes.length };
  });
}

/** Fences data: a client may show it to the model instead of the text. */
function fenceData(result: Data, { title, provenance }: Origin): Data | undefined {
  if ('pending' in result) return result;
  const { results, hits, data = results ?? hits, meta, hint } = result;
  // A partial result is text cut off at an arbitrary position.
  if (data === undefined) return undefined;
  const json = JSON.stringify([data, meta]) ?? '';
  let mark = randomToken();
  while (json.includes(mark)) mark = randomToken();
  return {
    notice: [warning(title), ...hiddenNotice(visibleJson(json).hidden)].join(' '),
    opens: `<<<external:${mark} ${provenance}`,
    data,
    meta,
    closes: `${mark}>>>`,
    ...(hint !== undefined && { hint }),
  };
}
