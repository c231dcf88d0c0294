import { type ChildProcess, spawn } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { emptyFolder, install, pack, remove, sqlitePackage } from '../../package/installed.js';

/** The packages, packed the same way as for publishing, and installed. */
export interface Installation {
  readonly tarballs: Readonly<Record<'library' | 'sandbox' | 'service', string>>;
  /** A folder with the library and the programs. */
  readonly alone: string;
  /** A folder with all three packages and the programs. */
  readonly together: string;
  /** An empty folder. */
  readonly scratch: string;
  remove(): Promise<unknown>;
}

const programs = resolve('test/full/runtimes/programs');

/** Packs and installs the three packages. */
export async function installPackages(): Promise<Installation> {
  const folders = [await emptyFolder(), await emptyFolder(), await emptyFolder(), await emptyFolder()] as const;
  const [packed, alone, together, scratch] = folders;
  const [library, sandbox, service] = [
    (await pack('.', packed)).file,
    (await pack('sandbox', packed)).file,
    (await pack('service', packed)).file,
  ];
  await install(alone, library);
  await install(together, library, sandbox, service, ...sqlitePackage);
  for (const folder of [alone, together]) await cp(programs, folder, { recursive: true });
  return {
    tarballs: { library, sandbox, service },
    alone,
    together,
    scratch,
    remove: () => remove(...folders),
  };
}

/** The sandbox and the service, running from their tarballs. */
export interface RunningPrograms {
  /** Input for the calls, as an object and as a file. */
  readonly subject: Subject;
  readonly file: string;
  stop(): Promise<void>;
}

/** URLs and credentials for the calls. */
export interface Subject {
  readonly sandbox: string;
  readonly service: Readonly<Record<'baseUrl' | 'clientId' | 'clientSecret' | 'name', string>>;
  /** By vendor name. */
  readonly credentials: Readonly<Record<string, object>>;
}

/** Differences from the default setup. */
export interface StartOptions {
  /** The Node executable for the sandbox, and for the service unless there is a `program`. */
  readonly node?: string;
  /** The program that runs the service, and the arguments before its file. */
  readonly program?: readonly string[];
  /** Flags for the service; by default it does not replicate. */
  readonly flags?: readonly string[];
}

/** Starts the sandbox and the service, each in its own process. */
export async function startPrograms(
  { together, scratch }: Pick<Installation, 'together' | 'scratch'>,
  startOptions: StartOptions = {},
): Promise<RunningPrograms> {
  const { node = process.execPath, ...rest } = startOptions;
  const options = ['start.mjs', JSON.stringify(rest)];
  const child = spawn(node, options, { cwd: together, stdio: ['pipe', 'pipe', 'inherit'] });
  const file = join(scratch, 'subject.json');
  const subject = JSON.parse(await firstLine(child)) as Subject;
  await writeFile(file, JSON.stringify(subject));
  const ended = new Promise<number | null>((settle) => child.once('exit', settle));
  return {
    subject,
    file,
    async stop() {
      child.stdin!.end();
      const code = await ended;
      if (code !== 0) throw new Error(`The service ended with ${code}.`);
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout!)) return line;
  throw new Error('The process ended without a line.');
}
