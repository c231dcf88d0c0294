/**
 * Runs real MCP clients against the built server, with a scripted model behind them, and reports what reaches the model:
 * `npm run test:clients` after `npm run build`; `node test/clients/run.mjs codex qwen` runs only these, and `--write`
 * writes the table of docs/guides/mcp-clients.md.
 *
 * Each client lists 25 issues, makes a call that fails, downloads a PDF, and reads 100 issues to the end. Then it gets a
 * result of several hundred thousand characters from a server without a limit.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GoogleDriveConnector } from '../../dist/google-drive.js';
import { LinearConnector } from '../../dist/linear.js';
import { serve } from '../../sandbox/dist/server.js';
import { clients } from './clients.mjs';
import { startModel } from './model.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const timeoutMs = 120_000;

prepare();
const vendor = await serve();
const { linear, 'google-drive': drive } = vendor.sandbox.vendors;
const endpoints = { linear: `${vendor.url}/linear`, 'google-drive': `${vendor.url}/google-drive` };
const expected = await expectations();
const environment = {
  LINEAR_API_KEY: linear.credentials.api_key.api_key,
  GOOGLE_DRIVE_ACCESS_TOKEN: drive.credentials.access_token.access_token,
  AGENT_CONNECTORS_ENDPOINTS: JSON.stringify(endpoints),
};
const server = {
  command: process.execPath,
  args: [here('../../bin/agent-connectors.js'), 'mcp', '--local', '--connectors', 'linear,google-drive'],
  env: environment,
};

const rows = [];
for (const client of clients) {
  if (words.length > 0 && !words.some((word) => client.name.toLowerCase().includes(word.toLowerCase()))) continue;
  const row = await measure(client);
  rows.push(row);
  console.log(`${row.problems.length === 0 ? 'ok  ' : 'FAIL'} ${client.name} ${row.version}: ${summaryOf(row)}`);
  for (const problem of row.problems) console.log(`     ${problem}`);
}
await vendor.close();
if (process.argv.includes('--write')) writeTable(rows);
process.exit(rows.every(({ problems }) => problems.length === 0) ? 0 : 1);

/** Installs what `npm ci --ignore-scripts` leaves out: two native binaries, and the Python packages. */
function prepare() {
  const must = (command, args, cwd = here('.')) => {
    const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed.`);
  };
  must(process.execPath, [here('node_modules/@anthropic-ai/claude-code/install.cjs')]);
  must(process.execPath, ['postinstall.mjs'], here('node_modules/opencode-ai'));
  for (const version of [1, 2]) {
    const requirements = requirementsOf(version);
    const venv = here(`node_modules/.venv-mcp-${version}`);
    const stamp = join(venv, 'installed');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(requirements, 'utf8')) continue;
    must('python3', ['-m', 'venv', '--clear', venv]);
    must(join(venv, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', requirements]);
    writeFileSync(stamp, readFileSync(requirements, 'utf8'));
  }
}

/** The pinned packages of Python programs with this version of the MCP package. */
function requirementsOf(version) {
  return here(`python/requirements-mcp-${version}.txt`);
}

/** What the vendor has: the first 100 issues, and a PDF. */
async function expectations() {
  const issues = new LinearConnector({ credentials: linear.credentials.api_key, endpoints: endpoints.linear });
  const files = new GoogleDriveConnector({
    credentials: drive.credentials.access_token,
    endpoints: endpoints['google-drive'],
  });
  const { data } = await issues.execute('issues', 'list', { first: 100 });
  const found = await files.execute('files', 'list', { q: "mimeType = 'application/pdf'", pageSize: 100 });
  return { ids: data.map(({ id }) => id), pdf: found.data.find(({ name }) => name === 'final and frozen.pdf').id };
}

/** The script: the call that follows these results. */
function next(outputs) {
  const execute = (args) => ({ tool: 'execute', args });
  const list = (first) => execute({ connector: 'linear', entity: 'issues', action: 'list', params: { first } });
  const beginning = [
    list(25),
    execute({ connector: 'linear', entity: 'issue', action: 'list' }),
    execute({ connector: 'google-drive', entity: 'files', action: 'download', params: { fileId: expected.pdf } }),
    list(100),
  ];
  if (outputs.length < beginning.length) return beginning[outputs.length];
  if (outputs.length > 30) return undefined;
  const handle = [...plain(outputs.at(-1).text).matchAll(/pass only continue: "([\w.-]+)"/g)].at(-1)?.[1];
  return handle && execute({ continue: handle });
}

/** Text in which JSON's escapes are resolved: some clients pass on JSON. */
function plain(text) {
  return text.replaceAll(/\\+"/g, '"').replaceAll(/\\+n/g, '\n');
}

function versionOf({ package: name, pip, mcp }) {
  if (name) return JSON.parse(readFileSync(here(`node_modules/${name}/package.json`), 'utf8')).version;
  const requirements = readFileSync(requirementsOf(mcp), 'utf8');
  return new RegExp(`^${pip}==(.*)$`, 'm').exec(requirements)?.[1] ?? '';
}

/** Runs a client in an empty home folder. */
async function run(client, model, more = []) {
  const started = { ...server, args: [...server.args, ...more] };
  const home = mkdtempSync(join(tmpdir(), 'mcp-client-'));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const { command, args, env = {} } = client.start({ home, model, server: started });
  const node = client.node ? nodeOf(client.node) : undefined;
  const { PATH, LANG } = process.env;
  const child = spawn(node ?? command, node ? [command, ...args] : args, {
    cwd,
    env: {
      PATH,
      LANG,
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_CACHE_HOME: join(home, '.cache'),
      SERVER: JSON.stringify(started),
      NO_PROXY: '127.0.0.1',
      CI: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => {
    const end = (reason) => {
      clearTimeout(timer);
      resolve(reason);
    };
    const timer = setTimeout(() => {
      process.kill(-child.pid, 'SIGKILL');
      end('timeout');
    }, timeoutMs);
    child.on('error', (error) => end(String(error)));
    child.on('exit', end);
  });
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  return { code, output };
}

/** The path of another version of Node. */
function nodeOf(version) {
  const { stdout } = spawnSync('npx', ['-y', '-p', `node@${version}`, 'which', 'node'], { encoding: 'utf8' });
  return stdout.trim();
}

/** The number of characters that a client passes on of a result that is far too long. */
async function limitOf(client) {
  const params = { connector: 'linear', entity: 'issues', action: 'list', params: { first: 250 }, view: 'full' };
  const model = await startModel((outputs) => (outputs.length === 0 ? { tool: 'execute', args: params } : undefined));
  await run(client, model.url, ['--max-output-tokens', '9000000']);
  model.close();
  return model.result().outputs[0]?.text.length ?? 0;
}

async function measure(client) {
  const model = await startModel(next);
  const { code, output } = await run(client, model.url);
  model.close();
  const limit = await limitOf(client);
  const { outputs, offered, problems: failures } = model.result();
  const [first, failed, downloaded, ...rest] = outputs;
  const all = rest.map(({ text }) => plain(text)).join('\n');
  const missing = expected.ids.filter((id) => !all.includes(id));
  const characters = first?.text.length ?? 0;
  const problems = [
    ...failures,
    ...(first ? [] : [`no result reached the model; tools: ${offered.slice(0, 40).join(', ') || 'none'}`]),
    ...(characters > 8_000 ? [`25 issues take ${characters} characters`] : []),
    ...(failed && !failed.isMarked && !failed.text.includes('Failed: unknown_entity') ? ['the error is not seen'] : []),
    ...(downloaded && !downloaded.text.includes('agent-connectors://files/') ? ['the download is not seen'] : []),
    ...(missing.length > 0 ? [`${missing.length} of 100 issues are missing`] : []),
  ];
  if (problems.length > 0) problems.push(`exit: ${code}; ${output.trim().slice(-600)}`);
  return { client, version: versionOf(client), characters, calls: rest.length, failed, missing, limit, problems };
}

function summaryOf({ characters, calls, failed, missing, limit }) {
  const error = failed?.isMarked ? 'marked' : failed?.text.includes('Failed:') ? 'in the text' : 'not seen';
  return `25 issues ${characters} characters; error ${error}; ${100 - missing.length} of 100 issues in ${calls} calls; passes on ${limit} characters`;
}

/** Replaces the table of the guide. */
function writeTable(measured) {
  const guide = here('../../docs/guides/mcp-clients.md');
  const lines = measured.map(({ client, version, characters, calls, failed, missing, limit, problems }) => {
    const error = failed?.isMarked
      ? 'marked as an error'
      : failed?.text.includes('Failed:')
        ? 'in the text'
        : 'not seen';
    const download = problems.some((problem) => problem.includes('download')) ? 'not seen' : 'handle';
    const issues = `${100 - missing.length} in ${calls} calls`;
    const [shown, passed] = [characters, limit].map((count) => count.toLocaleString('en-US'));
    const most = limit > 300_000 ? 'all' : passed;
    return `| ${client.name} | ${version} | ${most} | ${shown} | ${issues} | ${error} | ${download} |`;
  });
  const table = [
    '| Client | Version | Of a long result, in characters | 25 issues, in characters | 100 issues | A failed call | A download |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
  const text = readFileSync(guide, 'utf8');
  const date = new Date().toISOString().slice(0, 10);
  const marked = /<!-- measured -->[\s\S]*<!-- \/measured -->/;
  writeFileSync(guide, text.replace(marked, `<!-- measured -->\nMeasured on ${date}.\n\n${table}\n<!-- /measured -->`));
}
