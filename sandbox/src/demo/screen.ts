import { styleText } from 'node:util';

const columns = Math.min(process.stdout.columns || Number(process.env.COLUMNS) || 110, 110);
const paint = (style: 'bold' | 'cyan' | 'dim', text: string) => (process.stdout.isTTY ? styleText(style, text) : text);

/** Prints a section heading. */
export const heading = (text: string): void => console.log(`\n${paint('bold', text)}`);

/** Prints one line, truncated to the width of the terminal. */
export function line(text: string): void {
  const plain = text.replaceAll(/\s*\n\s*/g, ' ');
  console.log(`    ${plain.length > columns - 4 ? `${plain.slice(0, columns - 5)}…` : plain}`);
}

/** Runs one call and prints it with its duration and result. */
export async function show<T>(call: string, run: () => Promise<T>, summary: (result: T) => string[]): Promise<T> {
  const before = performance.now();
  const result = await run();
  const took = `${(performance.now() - before).toFixed(0)} ms`;
  console.log(`  ${paint('cyan', call.padEnd(columns - 11))} ${paint('dim', took.padStart(8))}`);
  for (const text of summary(result)) line(text);
  return result;
}
