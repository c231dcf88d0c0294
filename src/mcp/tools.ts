import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { AgentTool, ToolResult } from '../tools/agent-tools.js';
import { codeOrigin } from '../tools/code/code-mode.js';
import { withProgress } from './progress.js';
import { type Origin, resultOf } from './results.js';
import type { Surface } from './surface.js';

/** What the tools are called by clients that show titles, and whether they reach beyond this server. */
const toolTitles = [
  { title: 'Inspect connectors', openWorld: false },
  { title: 'Read how connectors are used', openWorld: false },
  { title: 'Run an action of a connector', openWorld: true },
  { title: 'Run code over connectors', openWorld: true },
] as const;

/** Offers the tools on a server. */
export function registerTools(server: McpServer, surface: Surface): void {
  for (const [index, tool] of surface.tools.entries()) {
    const { title, openWorld } = toolTitles[index]!;
    const { readOnly, destructive } = tool.annotations;
    server.registerTool(
      tool.name,
      {
        title,
        description: tool.description,
        inputSchema: uncheckedSchema(tool),
        annotations: { readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: openWorld },
      },
      (args, context) => call(tool, args, context, surface),
    );
  }
}

/** A schema that is announced but not checked: the tool's own check says how a call can be mended. */
const uncheckedSchema = ({ inputSchema }: AgentTool) => {
  const schema = () => inputSchema as Record<string, unknown>;
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'agent-connectors',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
};

/** A name that a call has given, if it is one: what a model sends may be anything. */
function nameIn(args: unknown, key: string): string | undefined {
  const value = (args as Record<string, unknown> | null)?.[key];
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : undefined;
}

async function call(tool: AgentTool, args: unknown, context: ServerContext, surface: Surface): Promise<CallToolResult> {
  const [entity, action] = [nameIn(args, 'entity'), nameIn(args, 'action')];
  const only = surface.members.length === 1 ? surface.members[0]!.key : undefined;
  const connector = nameIn(args, 'connector') ?? only;
  const where = entity && action ? `${connector}/${entity}.${action}` : (connector ?? tool.name);
  const started = performance.now();
  const { signal } = context.mcpReq;
  const report = (outcome: 'done' | 'failed' | 'cancelled', code?: string) => {
    const durationMs = Math.round(performance.now() - started);
    try {
      surface.onCall?.({ tool: tool.name, connector, entity, action, durationMs, outcome, code });
    } catch {
      // What watches must not stop what it watches.
    }
  };
  let result: ToolResult;
  try {
    result = await withProgress(context, where, () => tool.run(args, { signal }));
  } catch (error) {
    report('cancelled');
    throw error;
  }
  report(result.isError ? 'failed' : 'done', codeOf(result));
  return resultOf(withText(tool, result, surface), originOf(tool, connector, where, surface), surface.bytes);
}

const codeOf = ({ isError, data }: ToolResult): string | undefined =>
  isError ? ((data as { code?: string } | undefined)?.code ?? 'invalid_params') : undefined;

/** Structured content stands for the text in some clients, so documentation holds its text too. */
const withText = (tool: AgentTool, result: ToolResult, { tools }: Surface): ToolResult =>
  tool === tools[1] ? { ...result, data: { ...(result.data as object), text: result.text } } : result;

function originOf(
  tool: AgentTool,
  connector: string | undefined,
  provenance: string,
  { tools, members }: Surface,
): Origin | undefined {
  if (tool === tools[3]) return codeOrigin;
  if (tool !== tools[2]) return undefined;
  const title = members.find(({ key }) => key === connector)?.fullDescription.title ?? 'outside';
  return { title, provenance };
}
