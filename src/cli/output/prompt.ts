import { ConnectorError } from '../../errors/connector-error.js';
import type { CliEnvironment } from '../environment.js';
import { failure, usageError } from '../failure.js';
import { inLine } from './colour.js';
import { write } from './printer.js';

type Terminal = Pick<CliEnvironment, 'stdin' | 'stderr' | 'signal'>;

/** Whether a user can be prompted. */
export const isInteractive = ({ stdin, stderr }: Terminal): boolean => stdin.isTTY === true && stderr.isTTY === true;

const interruptedError = () => failure('aborted', 'Interrupted; nothing was done.', { type: 'interrupted' });

/** Asks for one line on the terminal; hidden input is not echoed. */
export async function prompt(question: string, terminal: Terminal, hidden = false): Promise<string> {
  const { stdin, stderr, signal } = terminal;
  // The terminal would echo hidden input, so it is read in raw mode, character by character.
  if (hidden) stdin.setRawMode?.(true);
  try {
    await write(stderr, question);
    return await readLine(stdin, signal);
  } finally {
    if (hidden) {
      stdin.setRawMode?.(false);
      stderr.write('\n');
    }
  }
}

function readLine(stdin: Terminal['stdin'], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const cleanUp = (finish: () => void) => {
      // Pause first: input that arrives when there is no listener would be lost to the next prompt.
      stdin.pause();
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onAbort = () => cleanUp(() => reject(ConnectorError.is(signal.reason) ? signal.reason : interruptedError()));
    const onEnd = () => cleanUp(() => (line === '' ? reject(interruptedError()) : resolve(line)));
    const onData = (chunk: Buffer | string) => {
      // Terminals may mark pasted text with escape sequences.
      const letters = Array.from(chunk.toString().replaceAll('\u001b[200~', '').replaceAll('\u001b[201~', ''));
      for (const [index, letter] of letters.entries()) {
        if (letter === '\r' || letter === '\n') {
          cleanUp(() => resolve(line.trim()));
          const left = letters.slice(letter === '\r' && letters[index + 1] === '\n' ? index + 2 : index + 1);
          if (left.length > 0) stdin.unshift(Buffer.from(left.join('')));
          return;
        }
        if (letter === '\u0003') return onAbort();
        if (letter === '\u0004') return onEnd();
        if (letter === '\u007f' || letter === '\b') line = Array.from(line).slice(0, -1).join('');
        else line += letter;
      }
    };
    if (signal.aborted) return onAbort();
    stdin.on('data', onData);
    stdin.once('end', onEnd);
    signal.addEventListener('abort', onAbort, { once: true });
    stdin.resume();
  });
}

/** Asks for confirmation of an irreversible action; without a terminal, `--yes` is required. */
export async function confirm(what: string, isConfirmed: boolean | undefined, terminal: Terminal): Promise<void> {
  if (isConfirmed) return;
  if (!isInteractive(terminal)) {
    throw usageError(`${what} cannot be undone, but there is no terminal to confirm on.`, {
      hint: 'Pass --yes to confirm.',
    });
  }
  const answer = await prompt(`${inLine(what)} cannot be undone. Type yes to continue: `, terminal);
  if (answer.toLowerCase() !== 'yes') throw failure('aborted', 'Cancelled.');
}
