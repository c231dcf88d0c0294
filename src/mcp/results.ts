import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolResult } from '../tools/agent-tools.js';
import { hiddenNotice, randomToken, visibleJson, warning } from '../tools/fence.js';
import { bytesOf } from '../tools/tokens.js';

/** Where the data of a result came from. */
export interface Origin {
  readonly title: string;
  readonly provenance: string;
}

type Data = Readonly<Record<string, unknown>>;

/** Where programs find the handle of a result that was cut; models have it in the text. */
const continueKey = 'agent-connectors/continue';

/** In place of a text that is too long to be there twice. */
const tooLong = 'Only the text of this result holds it: ask for less to have it here.';

/** A tool's answer as the protocol has it: text for the model, and structured content, which some clients show in its place. */
export function resultOf({ text, data, isError }: ToolResult, origin: Origin | undefined, bytes: number) {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  if (isError) return { content, isError };
  const { continue: handle } = (data ?? {}) as Data;
  const more = handle === undefined ? {} : { continue: handle };
  const room = bytes - bytesOf(text);
  const candidates = [origin ? fenceData(data as Data, origin) : (data as Data), { text, ...more }];
  const fitting = candidates.find((each) => each !== undefined && bytesOf(JSON.stringify(each)) <= room);
  return {
    content,
    structuredContent: { ...(fitting ?? { text: tooLong, ...more }) },
    ...(handle !== undefined && { _meta: { [continueKey]: handle } }),
  } satisfies CallToolResult;
}

/** Data between marks: a client may show the model this in place of the text. */
function fenceData(result: Data, { title, provenance }: Origin): Data | undefined {
  if ('pending' in result) return result;
  const { results, hits, data = results ?? hits, meta, hint } = result;
  // A part of a result is text that is cut anywhere.
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
