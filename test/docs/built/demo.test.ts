import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';

const { fetch, vendors } = createSandbox();
const linear = new LinearConnector({ fetch, credentials: vendors.linear.credentials.api_key });
const gong = new GongConnector({ fetch, credentials: vendors.gong.credentials.basic });
const drive = new GoogleDriveConnector({ fetch, credentials: vendors['google-drive'].credentials.oauth });

/** URLs that can cite a sandbox record: its own URL, or that URL without its trailing slug or view. */
async function addressesOf(title: string): Promise<string[]> {
  const addresses: Array<string | null | undefined> = [];
  const [identifier = ''] = /^[A-Z]+-\d+/.exec(title) ?? [];
  if (identifier) addresses.push((await linear.issues.get({ id: identifier })).data.url);
  const { data } = await drive.files.list({ q: `name = '${title.replaceAll("'", "\\'")}'` });
  addresses.push(...data.map(({ webViewLink }) => webViewLink));
  for await (const call of gong.paginate('calls', 'list')) {
    if (call.title && title.startsWith(call.title)) addresses.push(call.url);
  }
  return addresses.flatMap((address) => (address ? [address, address.replace(/\/[^/]*$/, '')] : []));
}

test('prints one screen: an answer with sources from the sandbox, a typed call, an invalid one, a write and a search', async () => {
  const environment = { ...process.env, COLUMNS: '100' };
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/demo.mjs'], { env: environment });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(45);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);

  const at = (pattern: RegExp) => {
    const index = lines.findIndex((line) => pattern.test(line));
    expect(index, `${pattern} in:\n${stdout}`).toBeGreaterThan(-1);
    return index;
  };
  const order = [
    at(/^ +Question: .+\?$/),
    at(/^ +search +\{"prompt":/),
    at(/^ +execute +gong: calls\.get/),
    at(/^ +execute +linear: issues\.get/),
    at(/^ +execute +google-drive: files\.list/),
    at(/^ +Answer: /),
    at(/^ +linear\.issues\.list\(/),
    at(/^ +linear\.execute\('issues', 'create', \{ titel/),
    at(/^ +invalid_params: /),
    at(/^ +titel is unknown\. Did you mean 'title'/),
    at(/^ +linear\.comments\.create\(/),
    at(/^ +linear\.issues\.context_store_search\(/),
    at(/^Done in [\d.]+ s\. Next, make your first call: docs\/guides\/first-call\.md$/),
  ];
  expect(order).toEqual([...order].sort((one, other) => one - other));
  expect(lines[at(/^ +linear\.issues\.context_store_search\(/) + 1]).toMatch(/[A-Z]+-\d+ .*Norw/);

  const sources = [...stdout.matchAll(/^ +\[\d\] (.+)\n +(https:\S+)$/gm)];
  expect(sources).toHaveLength(3);
  for (const [, title, url] of sources) expect(await addressesOf(title!), title).toContain(url);
});
