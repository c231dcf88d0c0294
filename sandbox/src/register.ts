/**
 * Emulates the vendors in the process that preloads this module: `node --import agent-connectors-sandbox/register`.
 * @module agent-connectors-sandbox/register
 */
import { isMainThread } from 'node:worker_threads';
import { createSandbox } from './sandbox.js';

const sandbox = createSandbox();
const { fetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  const isVendor = URL.canParse(url) && sandbox.vendorOf(url) !== undefined;
  return (isVendor ? sandbox.fetch : fetch)(input, init);
};

const variables = (prefix: string, fields: object): Array<[name: string, value: string]> =>
  Object.entries(fields).map(([field, value]) => [`${prefix}_${field.toUpperCase()}`, value]);

const { linear, granola, gong, 'google-drive': drive, 'google-analytics': analytics } = sandbox.vendors;
const keptNames: string[] = [];
for (const [name, value] of [
  ...variables('LINEAR', linear.credentials.api_key),
  ...variables('LINEAR', linear.credentials.access_token),
  ...variables('LINEAR', linear.credentials.oauth),
  ...variables('GRANOLA', granola.credentials.api_key),
  ...variables('GONG', { ...gong.credentials.basic, base_url: 'https://api.gong.io' }),
  ...variables('GONG', gong.credentials.oauth),
  ...variables('GOOGLE_DRIVE', drive.credentials.oauth),
  ...variables('GOOGLE_ANALYTICS', { ...analytics.credentials.oauth, property_id: analytics.properties.website }),
  ...variables('GOOGLE', drive.credentials.access_token),
  ...variables('GOOGLE', analytics.credentials.service_account),
]) {
  if (process.env[name] && process.env[name] !== value) keptNames.push(name);
  process.env[name] ||= value;
}

// Threads inherit the module, each with a sandbox of its own.
if (isMainThread) {
  const kept = keptNames.length > 0 ? ` Already set, and therefore unchanged: ${keptNames.join(', ')}.` : '';
  process.stderr.write(`agent-connectors-sandbox: the vendors are emulated in this process.${kept}\n`);
}
