import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The installed command. */
export const binary = resolve('bin/agent-connectors.js');

/** The result of a started command. */
export interface ExitResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A running command. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly exited: Promise<ExitResult>;
}

/** Starts the real command, with only the given environment variables. */
export function start(argv: readonly string[], env: Record<string, string> = {}, input?: string): RunningCommand {
  const child = spawn(process.execPath, [binary, ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nowhere', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout!.on('data', (chunk) => out.push(chunk));
  child.stderr!.on('data', (chunk) => err.push(chunk));
  if (input !== undefined) child.stdin!.end(input);
  const ended = new Promise<ExitResult>((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      settle({ code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() });
    });
  });
  return { child, exited: ended };
}

/** Runs the real command until it exits. */
export const runToEnd = (...args: Parameters<typeof start>): Promise<ExitResult> => start(...args).exited;

/** A folder that `done` deletes. */
export async function tempFolder(): Promise<{ path: string; done: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'agent-connectors-cli-'));
  return { path, done: () => rm(path, { recursive: true, force: true }) };
}
