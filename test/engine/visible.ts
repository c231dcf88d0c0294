import { inspect } from 'node:util';

/** Everything about an error that a person or a log could see, with each cause in its chain. */
export function visibleText(error: unknown): string {
  const seen: string[] = [];
  for (let at: any = error; at !== undefined && at !== null; at = at.cause) {
    seen.push(String(at), String(at.stack), JSON.stringify(at) ?? '', inspect(at, { depth: null, showHidden: true }));
  }
  return seen.join('\n');
}
