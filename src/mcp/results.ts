import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../manifest/describe.js';
import type { ToolResult } from '../tools/agent-tools.js';
import { hiddenNotice, markFor, visibleJson, warning } from '../tools/fence.js';
import { fits } from '../tools/tokens.js';
import type { Files } from './files.js';
import type { Surface } from './surface.js';

/** Source of a result's data. */
export interface Origin {
  readonly title: string;
  readonly provenance: string;
}

type Data = Readonly<Record<string, unknown>>;

/** Key under which programs find the handle of a truncated result; models see it in the text. */
const continueKey = 'agent-connectors/continue';

const text = { type: 'string' };
const list = { type: 'array', items: { type: 'object' } };
const object = (properties: object): JsonSchema => ({ type: 'object', properties });

/** Fields that any result can have: `text` replaces data that is too large, and is all that a failure has. */
const anyResult = { hint: text, text };

const inspection = {
  name: text,
  title: text,
  version: text,
  mode: text,
  docs_skill_id: text,
  docs_hash: text,
  entities: list,
  context_store_readiness: {},
  warnings: { type: 'array', items: text },
  known_parameters: { type: 'object' },
  notice: text,
};

/**
 * Schemas of each tool's structured content: every field that it can have, in the order in which it is sent. Kept short,
 * since models read them with every request.
 */
export const outputSchemas = {
  inspect: (isSingle: boolean): JsonSchema =>
    object({ ...(isSingle ? inspection : { connectors: list }), ...anyResult }),
  docs: (): JsonSchema => object({ metadata: { type: 'object' }, outline: list, section_id: {}, ...anyResult }),
  run: (): JsonSchema =>
    object({
      status: text,
      pending: text,
      notice: text,
      opens: text,
      data: {},
      meta: {},
      closes: text,
      ...anyResult,
      continue: text,
    }),
};

/**
 * A tool result in protocol form: text and, in structured mode, structured content, since a client passes the text, the
 * structured content or both to its model.
 */
export function resultOf(
  { text, data, isError }: ToolResult,
  origin: Origin | undefined,
  { results, resourceLinks, budget, files }: Surface,
): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  const { continue: handle } = (isError ? {} : (data ?? {})) as Data;
  if (resourceLinks && origin && !isError) content.push(...linksOf(data as Data | undefined, origin, files));
  const structured = () => {
    if (isError) return { text };
    const whole = origin ? fenceData(data as Data, origin, text) : (data as Data);
    if (whole !== undefined && fits(JSON.stringify(whole), budget)) return { ...whole };
    return { text, ...(handle !== undefined && { continue: handle }) };
  };
  return {
    content,
    ...(results === 'structured' && { structuredContent: structured() }),
    ...(isError && { isError }),
    ...(handle !== undefined && { _meta: { [continueKey]: handle } }),
  };
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
function fenceData(result: Data, { title, provenance }: Origin, text: string): Data | undefined {
  if ('pending' in result) return { ...result, text };
  const { results, hits, data = results ?? hits, meta, hint } = result;
  // A part of a result is text that ends anywhere.
  if (data === undefined) return undefined;
  const json = JSON.stringify([data, meta]) ?? '';
  const mark = markFor(json);
  return {
    notice: [warning(title), ...hiddenNotice(visibleJson(json).hidden)].join(' '),
    opens: `<<<external:${mark} ${provenance}`,
    data,
    meta,
    closes: `${mark}>>>`,
    ...(hint !== undefined && { hint }),
  };
}
