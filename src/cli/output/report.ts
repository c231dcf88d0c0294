import type { CliEnvironment } from '../environment.js';
import { wrapText } from './cell.js';
import { coloursFor, inLine } from './colour.js';

/** An error or warning as JSON, or as text for a terminal if requested. */
export function formatReport(
  report: Readonly<Record<string, unknown>>,
  pretty: boolean,
  environment: Pick<CliEnvironment, 'stderr' | 'env'>,
): string {
  const { stderr } = environment;
  if (!pretty || stderr.isTTY !== true) return `${JSON.stringify(report)}\n`;
  const { red, yellow } = coloursFor(stderr, environment);
  const { message, hint } = report;
  const maxWidth = Math.min(stderr.columns ?? 80, 80);
  const folded = (value: unknown) => wrapText(inLine(String(value)), maxWidth, '  ').trimStart();
  return `${red('✗')} ${folded(message)}\n${hint ? `${yellow('→')} ${folded(hint)}\n` : ''}`;
}
