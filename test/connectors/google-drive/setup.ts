import type { ConnectorOptions } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';

export { collect } from '../calls.js';

type Mode = keyof Sandbox['vendors']['google-drive']['credentials'];

/** A connector on its own sandbox. */
export function connectorOnSandbox({
  mode = 'access_token',
  faults = [],
  ...options
}: { mode?: Mode; faults?: FaultRule[] } & Omit<ConnectorOptions, 'credentials' | 'allow'> = {}) {
  const sandbox = createSandbox({ seed: 7 });
  for (const fault of faults) sandbox.faults.add(fault);
  const credentials = sandbox.vendors['google-drive'].credentials[mode];
  const drive = new GoogleDriveConnector({ credentials, fetch: sandbox.fetch, ...options });
  return { sandbox, drive };
}

/** Bytes in which no two pages are alike. */
export function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = at * 31 + (at >> 8);
  return bytes;
}

/** The complete content of a download. */
export const contentOf = async ({ data }: { data: ReadableStream<Uint8Array> }) =>
  new Uint8Array(await new Response(data).arrayBuffer());
