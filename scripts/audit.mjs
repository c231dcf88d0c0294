/**
 * Queries the registry for known vulnerabilities in the packages' dependencies: `node scripts/audit.mjs [--required]`.
 * A registry that has no advisory list, as is the case for many mirrors, causes a failure only with `--required`.
 */
import { run } from './run.mjs';

const required = process.argv.includes('--required');

/** Vulnerabilities that do not affect the packages: the advisory's id, and why. */
const explained = {};

const { output } = await run(['npm', 'audit', '--omit=dev', '--json', '--loglevel=silent'], { minutes: 2 });
const { vulnerabilities, message } = parseJson(output);
if (!vulnerabilities) {
  console.log(`Not audited, because the registry returned no list of vulnerabilities: ${message}`);
  process.exitCode = required ? 1 : 0;
} else {
  const advisories = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((via) => typeof via === 'object');
  const open = advisories.filter(({ url }) => explained[url?.split('/').at(-1)] === undefined);
  for (const { name, severity, title, url } of open) console.log(`${severity}: ${name}: ${title} (${url})`);
  console.log(`${advisories.length} known vulnerabilities, ${open.length} of them unexplained`);
  process.exitCode = open.length > 0 ? 1 : 0;
}

function parseJson(text) {
  try {
    return JSON.parse(text.slice(text.indexOf('{')));
  } catch {
    return { message: text.trim().split('\n').at(-1) ?? '' };
  }
}
