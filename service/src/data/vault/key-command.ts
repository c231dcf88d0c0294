import { execFile } from 'node:child_process';

/** Timeout for the command, in milliseconds. */
const timeoutMs = 10_000;
const maxOutputBytes = 64 * 1024;

/** Splits a command into plain and quoted words like a shell, without expansion. */
export function wordsOf(command: string): readonly [string, ...string[]] {
  const [program, ...rest] = [...command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+|['"]/g)].map(([word]) =>
    word === "'" || word === '"' ? undefined : word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
  const args = rest.filter((word) => word !== undefined);
  if (!program || args.length < rest.length) {
    throw new Error('The key command must be a program and its arguments, with balanced quotes.');
  }
  return [program, ...args];
}

/**
 * Runs the command that prints the keys, newest first, separated by whitespace.
 *
 * Its output, including standard error, is never reported: a failing program may have printed the key.
 */
export function readKeyCommand([program, ...args]: readonly [string, ...string[]]): Promise<readonly string[]> {
  const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxOutputBytes } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout) => {
      const keys = stdout.split(/\s+/).filter(Boolean);
      if (!error && keys.length > 0) resolve(keys);
      // Not attached as `cause`, because the error contains the output.
      else
        reject(
          new Error(`The key command ${error ? reasonOf(error) : 'produced no output'}: run it by hand to see why.`),
        );
    });
    child.stdin?.end();
  });
}

function reasonOf({ code, signal, killed }: { code?: unknown; signal?: unknown; killed?: boolean }): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${maxOutputBytes / 1024} KiB`;
  if (typeof code === 'string') return `could not be started (${code})`;
  if (killed) return `took longer than ${timeoutMs / 1000} s`;
  return typeof code === 'number' ? `exited with code ${code}` : `was killed by ${signal}`;
}
