import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { type AgentTool, type AgentToolsOptions, createAgentTools, type ToolConnectors } from 'agent-connectors/tools';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';

/** Connectors on their own sandbox. */
export function connectorsOn(sandbox: Sandbox = createSandbox({ seed: 7 })) {
  const { fetch, vendors } = sandbox;
  return {
    sandbox,
    linear: new LinearConnector({ fetch, credentials: vendors.linear.credentials.api_key }),
    granola: new GranolaConnector({ fetch, credentials: vendors.granola.credentials.api_key }),
    drive: new GoogleDriveConnector({ fetch, credentials: vendors['google-drive'].credentials.access_token }),
  };
}

/** A toolset's tools by what they do. */
export function toolsOf(connectors: ToolConnectors, options?: AgentToolsOptions) {
  const [inspect, docs, execute] = createAgentTools(connectors, options);
  return { inspect, docs, execute };
}

/** The text between the marks of a fence, and the marks' contents; throws if there are none. */
export function insideOf(text: string): { inside: string; provenance: string; mark: string } {
  const found = /^<<<external:([a-z2-7]{16}) (\S+)\n/m.exec(text);
  if (!found) throw new Error(`No marks in: ${text}`);
  const [opening, mark = '', provenance = ''] = found;
  const start = found.index + opening.length;
  const end = text.indexOf(`\n${mark}>>>`, start - 1);
  if (end < 0) throw new Error('The marks are not closed.');
  return { inside: text.slice(start, end), provenance, mark };
}

/** The text outside the marks. */
export const outsideOf = (text: string): string => text.replace(insideOf(text).inside, '');

/** The handle in the text, if any. */
export const handleIn = (text: string): string | undefined => /continue: "([^"]+)"/.exec(text)?.[1];

/** All parts of a result, read to the end. */
export async function readAll(execute: AgentTool, args: object): Promise<string[]> {
  const parts: string[] = [];
  for (let next: object = args; ; ) {
    const { text, isError } = await execute.run(next);
    if (isError) throw new Error(text);
    parts.push(text);
    const handle = handleIn(text);
    if (handle === undefined) return parts;
    next = { continue: handle };
  }
}

/** Tokens in the text, counted independently of the library. */
export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);
