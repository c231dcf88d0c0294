import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/** What the service's console is built with; its files are too small to say so themselves. */
const inConsole = ['marked', 'preact'];

/** Packages whose code is part of what one of ours publishes: by the names that the bundler leaves above their code. */
export function bundled(source, dist = join(root, source, 'dist')) {
  const built = existsSync(dist) ? readdirSync(dist, { recursive: true }) : [];
  const files = built.filter((name) => name.endsWith('.js'));
  const named = files.flatMap((name) =>
    [
      ...readFileSync(join(dist, name), 'utf8').matchAll(/^\/\/ (?:\.\.\/)*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm),
    ].map(([, found]) => found),
  );
  const names = new Set([...named, ...(source === 'service' ? inConsole : [])]);
  return [...names].sort().map((name) => {
    const own = join(root, source, 'node_modules', name);
    const folder = existsSync(own) ? own : join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = readdirSync(folder).find((file) => /^licen[cs]e(\.\w+)?$/i.test(file));
    return { name, version, license, text: text && readFileSync(join(folder, text), 'utf8') };
  });
}

/** The licences of packages, as they are published with their code. */
export function noticesOf(packages) {
  for (const { name, text } of packages) if (!text) throw new Error(`${name} has no text of its licence.`);
  const notices = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`,
  );
  return notices.join(`\n${'-'.repeat(80)}\n\n`);
}
