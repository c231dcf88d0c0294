import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type RegisteredTool,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { JsonSchema } from '../manifest/describe.js';
import type { AgentTool, ToolResult } from '../tools/agent-tools.js';
import { codeOrigin } from '../tools/code/code-mode.js';
import { viewOf } from './app/view.js';
import { pageOfTool, showsPages, viewKey } from './apps.js';
import { canAsk } from './confirmation.js';
import { type Origin, outputSchemas, resultOf } from './results.js';
import type { Surface } from './surface.js';

/** A tool's title, whether it accesses systems outside this server, and its output schema. */
interface ToolKind {
  readonly title: string;
  readonly openWorld: boolean;
  readonly output: (isSingle: boolean) => JsonSchema;
}

const runs = { openWorld: true, output: outputSchemas.run };

const toolKinds: Readonly<Record<string, ToolKind>> = {
  inspect_connector: { title: 'Inspect connectors', openWorld: false, output: outputSchemas.inspect },
  read_skill_docs: { title: 'Read connector documentation', openWorld: false, output: outputSchemas.docs },
  execute: { title: 'Run a read action', ...runs },
  execute_write: { title: 'Run a write action', ...runs },
  run_code: { title: 'Run code against connectors', ...runs },
  search: { title: 'Search all synced records', ...runs },
};

/** Registers the tools on a server. */
export function registerTools(server: McpServer, current: () => Surface): RegisteredTool[] {
  // Permanent gaps are reported once to each client; a server of the sessionless protocol handles one request.
  const reported = new Set<string>();
  return current().tools.map((tool, index) => {
    const { title, openWorld, output } = toolKinds[tool.name]!;
    const { readOnly, destructive } = tool.annotations;
    const registered = server.registerTool(
      tool.name,
      {
        title,
        description: tool.description,
        inputSchema: uncheckedSchema(withoutBooleans(tool.inputSchema)),
        // A client throws if a tool declares a schema and a result has no structured content.
        ...(current().results === 'structured' && {
          outputSchema: uncheckedSchema(output(current().members.length === 1)),
        }),
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: destructive,
          idempotentHint: readOnly,
          openWorldHint: openWorld,
        },
      },
      (args, context) => {
        const surface = current();
        return call(surface.tools[index]!, args, context, { surface, server, reported });
      },
    );
    // Read for each list request, since the client's capabilities are unknown until it has connected.
    return Object.defineProperty(registered, '_meta', { get: () => pageOfTool(server, tool.name) });
  });
}

/**
 * A schema without `additionalProperties`, which google-genai cannot read if it is a boolean. Arguments that a tool does
 * not have are handled anyway.
 */
const withoutBooleans = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'additionalProperties' ? undefined : value)));

/**
 * A schema that is announced but not checked here: the tool's own validation explains how to fix a call, and results
 * are built to match.
 */
const uncheckedSchema = (announced: JsonSchema) => {
  const schema = () => announced as Record<string, unknown>;
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'agent-connectors',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
};

/** A name in a call's arguments, if valid: models may send anything. */
function nameIn(args: unknown, key: string): string | undefined {
  const value = (args as Record<string, unknown> | null)?.[key];
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : undefined;
}

async function call(
  tool: AgentTool,
  args: unknown,
  context: ServerContext,
  { surface, server, reported }: { surface: Surface; server: McpServer; reported: Set<string> },
): Promise<CallToolResult | InputRequiredResult> {
  const [entity, action] = [nameIn(args, 'entity'), nameIn(args, 'action')];
  const only = surface.members.length === 1 ? surface.members[0]!.key : undefined;
  const connector = nameIn(args, 'connector') ?? only;
  const where = entity && action ? `${connector}/${entity}.${action}` : (connector ?? tool.name);
  const started = performance.now();
  const { signal, inputResponses } = context.mcpReq;
  const askable = canAsk(server, context) ? surface.askable.add(signal, inputResponses) : undefined;
  const report = (outcome: 'done' | 'failed' | 'cancelled', code?: string) => {
    const durationMs = Math.round(performance.now() - started);
    try {
      surface.onCall?.({ tool: tool.name, connector, entity, action, durationMs, outcome, code });
    } catch {
      // A failing observer must not affect the call.
    }
  };
  let result: ToolResult;
  try {
    result = await withProgress(context, where, () => tool.run(args, { signal, reported }));
  } catch (error) {
    report('cancelled');
    throw error;
  }
  // The client asks its user and repeats the call with the answer.
  if (askable && Object.keys(askable.questions).length > 0) return inputRequired({ inputRequests: askable.questions });
  report(result.isError ? 'failed' : 'done', codeOf(result));
  const shown = resultOf(withText(tool, result), originOf(tool, connector, where, surface), surface);
  if (!showsPages(server, context)) return shown;
  const view = viewOf({ tool: tool.name, args, connector }, result, surface.members);
  return view ? { ...shown, _meta: { ...shown._meta, [viewKey]: view } } : shown;
}

const codeOf = ({ isError, data }: ToolResult): string | undefined =>
  isError ? ((data as { code?: string } | undefined)?.code ?? 'invalid_params') : undefined;

/** Some clients show only structured content, so documentation includes its text there. */
const withText = (tool: AgentTool, result: ToolResult): ToolResult =>
  tool.name === 'read_skill_docs' ? { ...result, data: { ...(result.data as object), text: result.text } } : result;

function originOf(
  tool: AgentTool,
  connector: string | undefined,
  provenance: string,
  { members }: Surface,
): Origin | undefined {
  if (tool.name === 'run_code') return codeOrigin;
  if (!toolKinds[tool.name]!.openWorld) return undefined;
  const title = members.find(({ key }) => key === connector)?.fullDescription.title ?? 'the connectors';
  return { title, provenance };
}

const initialDelayMs = 500;
const intervalMs = 2_000;

/** Runs work and sends progress notifications to a client that asked for them. */
async function withProgress<T>({ mcpReq }: ServerContext, what: string, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const started = performance.now();
  let progress = 0;
  let timer: ReturnType<typeof setTimeout>;
  const sendProgress = () => {
    progress++;
    const message = `${what}: ${Math.ceil((performance.now() - started) / 1000)} s`;
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
    timer = setTimeout(sendProgress, intervalMs);
  };
  timer = setTimeout(sendProgress, initialDelayMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
