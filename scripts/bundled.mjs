import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/** Libraries bundled into the console, whose minified files do not name them. */
const inConsole = ['marked', 'preact'];

/** Packages bundled into one of ours, identified by the names in the bundler's comments. */
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

/** Licenses of packages, as published with their code. */
export function noticesOf(packages) {
  for (const { name, text } of packages)
    if (!text) throw new Error(`${name} does not include the text of its licence.`);
  const notices = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`,
  );
  return notices.join(`\n${'-'.repeat(80)}\n\n`);
}
