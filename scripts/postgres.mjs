/**
 * Runs a temporary Postgres until its standard input closes: `node scripts/postgres.mjs [--install] [--plain]
 * [--prepare] [--programs FOLDER]`. The first line it prints is the URL. `--install` gets missing packages from Debian,
 * `--plain` omits pgvector, `--prepare` exits before the start, and `--programs` runs the programs in a folder.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { root } from './run.mjs';

const { values: options } = parseArgs({
  options: {
    install: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    prepare: { type: 'boolean', default: false },
    programs: { type: 'string' },
  },
});

/** The Debian release whose pgvector source package is built: the first that has one. */
const sourceRelease = 'trixie';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const versions = '/usr/lib/postgresql';
const isRoot = process.getuid?.() === 0;

const run = (command, args, more = {}) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', ...more });

class Missing extends Error {}

/** The newest installed major version. */
function installedVersion() {
  if (!existsSync(versions)) return undefined;
  const found = readdirSync(versions).filter((version) => existsSync(join(versions, version, 'bin', 'initdb')));
  return found.sort((one, other) => Number(other) - Number(one))[0];
}

function requireServer() {
  const wanted = [
    ...(installedVersion() ? [] : ['postgresql']),
    ...(options.plain || existsSync('/usr/bin/make') ? [] : ['build-essential']),
    ...(options.plain || existsSync('/usr/bin/dpkg-source') ? [] : ['dpkg-dev']),
  ];
  if (wanted.length === 0) return installedVersion();
  if (!options.install)
    throw new Missing(`Missing Debian packages: ${wanted.join(', ')}. Run this again with --install.`);
  run('apt-get', ['update']);
  run('apt-get', ['install', '--yes', '--no-install-recommends', ...wanted], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return installedVersion();
}

/** URL of this machine's Debian archive. */
function archive() {
  for (const file of ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']) {
    const found =
      existsSync(file) &&
      /^(?:URIs:|deb)\s+(?:\[.*?\]\s+)?(https?:\S+\/debian)\/?(?=\s|$)/m.exec(readFileSync(file, 'utf8'));
    if (found) return found[1];
  }
  return 'http://deb.debian.org/debian';
}

/** Runs apt-get with its own lists, without changing the machine's and without root. */
function privateApt(folder) {
  const sources = join(folder, 'sources');
  for (const name of [sources, join(folder, 'lists/partial'), join(folder, 'cache/archives/partial')]) {
    mkdirSync(name, { recursive: true });
  }
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? sourceRelease;
  const entry = (types, suite) =>
    `Types: ${types}\nURIs: ${archive()}\nSuites: ${suite}\nComponents: main\nSigned-By: ${keyring}\n`;
  writeFileSync(join(sources, 'debian.sources'), `${entry('deb', codename)}\n${entry('deb-src', sourceRelease)}`);
  // Without the machine's packages: a newer version that is installed, but not in this archive, would be the candidate.
  const status = join(folder, 'status');
  writeFileSync(status, '');
  const settings = {
    'Dir::State::status': status,
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': sources,
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Sandbox::User': 'root',
  };
  const aptArgs = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return (...args) => run('apt-get', [...aptArgs, ...args], { cwd: folder });
}

/**
 * A copy of Postgres's folders made of links, to which pgvector is added, since Postgres finds its files relative to
 * its own location.
 */
function copyServer(version, usr) {
  const bin = join(usr, 'lib/postgresql', version, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['postgres', 'pg_config']) {
    copyFileSync(join(versions, version, 'bin', name), join(bin, name));
    chmodSync(join(bin, name), 0o755);
  }
  const link = (from, to) => {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      if (!existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name));
    }
  };
  const share = join(usr, 'share/postgresql', version);
  link(join('/usr/share/postgresql', version, 'extension'), join(share, 'extension'));
  link(join('/usr/share/postgresql', version), share);
  link(join(versions, version, 'lib'), join(usr, 'lib/postgresql', version, 'lib'));
  return bin;
}

/** Builds pgvector next to a copy of the server; nothing is installed. */
function buildVector(version, folder) {
  const making = mkdtempSync(`${folder}-`);
  try {
    const apt = privateApt(making);
    apt('update');
    // Any minor version: the interface is stable within a major version.
    apt('download', `postgresql-server-dev-${version}`);
    apt('source', 'pgvector');
    const files = readdirSync(making);
    const headers = files.find((name) => name.startsWith('postgresql-server-dev-'));
    const source = files.find((name) => /^pgvector-[\d.]+$/.test(name));
    run('dpkg-deb', ['-x', join(making, headers), making]);
    const bin = copyServer(version, join(making, 'usr'));
    const make = (target) =>
      run('make', ['-s', '-j2', `PG_CONFIG=${join(bin, 'pg_config')}`, 'with_llvm=no', 'OPTFLAGS=', target], {
        cwd: join(making, source),
      });
    make('all');
    make('install');
    for (const name of [...files, 'lists', 'cache', 'sources', 'status'])
      rmSync(join(making, name), { recursive: true, force: true });
    chmodSync(making, 0o755);
    try {
      renameSync(making, folder);
    } catch (error) {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** The server program, with pgvector unless omitted. */
function serverProgram(version) {
  const own = join(versions, version, 'bin', 'postgres');
  if (options.plain || existsSync(join('/usr/share/postgresql', version, 'extension', 'vector.control'))) return own;
  const folder = join(root, 'node_modules', '.cache', `postgres-${version}`);
  mkdirSync(join(folder, '..'), { recursive: true });
  if (!existsSync(folder)) buildVector(version, folder);
  return join(folder, 'usr/lib/postgresql', version, 'bin', 'postgres');
}

/** Postgres refuses to run as root. */
function unprivileged() {
  if (!isRoot) return {};
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres');
  if (!entry) throw new Missing('There is no user named postgres to run the server as.');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function createCluster(version, folder, user) {
  const password = randomBytes(16).toString('hex');
  const file = join(folder, 'password');
  writeFileSync(file, password, { mode: 0o600 });
  if (user.uid !== undefined) for (const path of [folder, file]) chownSync(path, user.uid, user.gid);
  const data = join(folder, 'data');
  const args = ['-D', data, '-U', 'owner', '--auth=scram-sha-256', `--pwfile=${file}`, '--encoding=UTF8'];
  run(join(options.programs ?? join(versions, version, 'bin'), 'initdb'), [...args, '--locale=C.UTF-8', '--no-sync'], {
    ...user,
    cwd: folder,
  });
  rmSync(file);
  return { data, password };
}

async function serve(version, program) {
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { data, password } = createCluster(version, folder, user);
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '512MB',
    // As recommended in `docs/scaling.md` for an initial load: after each checkpoint, every page is logged in full
    // again.
    max_wal_size: '4GB',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(program, ['-D', data, ...args], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(server, 'exit');
  // A fast shutdown, which disconnects clients.
  const stop = () => server.kill('SIGINT');
  process.stdin.once('end', stop).once('error', stop).resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop);
  const output = [];
  const lines = createInterface(server.stderr);
  lines.on('line', (line) => {
    if (output.push(line) > 100) output.shift();
    if (line.includes('ready to accept connections')) {
      console.log(`postgres://owner:${password}@127.0.0.1:${port}/postgres`);
    }
  });
  const [code] = await ended;
  if (code !== 0) throw new Error(`Postgres exited with code ${code}:\n${output.join('\n')}`);
}

try {
  const version = options.programs === undefined ? requireServer() : '';
  const program = options.programs === undefined ? serverProgram(version) : join(options.programs, 'postgres');
  if (!options.prepare) await serve(version, program);
  process.exit();
} catch (error) {
  console.error(error instanceof Missing ? error.message : (error.stderr ?? '') || error);
  process.exit(error instanceof Missing ? 2 : 1);
}
