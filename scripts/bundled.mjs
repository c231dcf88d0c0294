import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/** What the service's console is built with; its files are too small to say so themselves. */
const inConsole = ['preact'];

/** Packages whose code is part of what one of ours publishes: by the names that the bundler leaves above their code. */
export function bundled(source) {
  const dist = join(root, source, 'dist');
  const files = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.js'));
  const named = files.flatMap((name) =>
    [
      ...readFileSync(join(dist, name), 'utf8').matchAll(/^\/\/ (?:\.\.\/)*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm),
    ].map(([, found]) => found),
  );
  const names = new Set([...named, ...(source === 'service' ? inConsole : [])]);
  return [...names].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = readdirSync(folder).find((file) => /^licen[cs]e(\.\w+)?$/i.test(file));
    return { name, version, license, text: text && readFileSync(join(folder, text), 'utf8') };
  });
}
