import { type CodeModeOptions, codeMode } from 'agent-connectors/code';
import { type AgentToolsOptions, createAgentTools, type ToolConnectors } from 'agent-connectors/tools';
import { insideOf } from '../setup.js';

/** The time that programs in the tests see. */
export const now = Date.UTC(2026, 2, 4, 5, 6, 7);

/** Timeouts that are long enough for any machine. */
const unhurried = { timeoutMs: 600_000, cpuMs: 60_000 };

/**
 * A toolset with code mode: `run` is the tool, `value` a program's result, `failure` the message of one that failed.
 */
export function codeTools(connectors: ToolConnectors, options: AgentToolsOptions = {}, limits: CodeModeOptions = {}) {
  const tools = createAgentTools(connectors, {
    codeMode: codeMode({ ...unhurried, now: () => now, ...limits }),
    ...options,
  });
  const [inspect, docs, execute, code] = tools;
  const run = (text: string, signal?: AbortSignal) => code!.run({ code: text }, { signal });
  const value = async (text: string): Promise<any> => {
    const result = await run(text);
    if (result.isError) throw new Error(result.text);
    return JSON.parse(insideOf(result.text).inside).data;
  };
  const failure = async (text: string) => {
    const result = await run(text);
    if (!result.isError) throw new Error(`No failure: ${result.text}`);
    return result.text;
  };
  return { inspect, docs, execute, code: code!, run, value, failure };
}
