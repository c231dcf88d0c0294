/** Writes `dist/fidelity.md` and `dist/gaps.md`, for the package and the site, from the connectors' `facts.json`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const ledgers = readdirSync(join(root, 'connectors'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    ...JSON.parse(readFileSync(join(root, 'test/connectors', name, 'facts.json'), 'utf8')),
  }));

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const code = (names) => names.map((name) => `\`${name}\``).join(', ');

/** Kinds of sources, strongest first; the first pattern that a source matches determines its kind. */
const sourceKinds = [
  [
    'documentation',
    /^(OpenAPI document of Gong|help\.gong\.io|developers\.google\.com|linear\.app\/developers|docs\.granola\.ai|Amazon S3 documentation|Node\.js|(HTTP semantics, )?RFC )/,
  ],
  [
    'schema',
    /^(Google discovery document|linear\/linear, packages\/sdk|npm @linear\/sdk|Linear's public schema|requests of Google.s own client)/,
  ],
  ['recording', /record(ing|ed)|capture of the live API|measurements of the live API|measured against the API/],
  ['third party', /(?:)/],
];

/** The strongest kind among the sources of a fact. */
function kindOf({ source }) {
  const ranks = source.split('; ').map((part) => sourceKinds.findIndex(([, pattern]) => pattern.test(part)));
  return sourceKinds[Math.min(...ranks)][0];
}

/** Number of facts by kind of source. */
function sourceCounts(facts) {
  const unverified = facts.filter(({ verified }) => !verified).length;
  const count = (kind) => facts.filter((fact) => fact.verified && kindOf(fact) === kind).length;
  return `| Documentation | Schema or SDK | Recordings | Third parties | Not verified | All |
| --: | --: | --: | --: | --: | --: |
| ${[...sourceKinds.map(([kind]) => count(kind)), unverified, facts.length].join(' | ')} |`;
}

function fidelityPage() {
  const parts = ledgers.map(({ name, facts }) => {
    const rows = facts.map((row) => [
      row.area,
      row.verified ? row.fact : `${row.fact} *(not verified)*`,
      row.we,
      row.verified && kindOf(row) === 'third party' ? `${row.source} *(third party)*` : row.source,
      code(row.tests),
    ]);
    return `## ${name}

${sourceCounts(facts)}

${table(['Area', 'How the vendor behaves', 'What the library does', 'Source', 'Tests'], rows)}`;
  });
  return `# Fidelity

How each vendor behaves, where that is known from, and the files whose tests prove what the library does. This page is
generated from \`test/connectors/*/facts.json\` of the repository.

**The maintainers have not run any connector against a real account.** Facts are counted by their strongest source:

- Documentation: of the vendor, or of a standard.
- Schema or SDK: published by the vendor.
- Recordings: responses and measurements from the live API, published by others.
- Third parties: issue trackers, articles and the code of other clients.
- Not verified: reported or inferred, and not confirmed.

${parts.join('\n\n')}
`;
}

function gapsPage() {
  const parts = ledgers.map(({ name, gaps }) => {
    const rows = gaps.map(({ entity, field, vendor, we }) => [entity, `\`${field}\``, vendor, we]);
    return `## ${name}\n\n${table(['Entity', 'Field', 'What the vendor sends', 'What you get'], rows)}`;
  });
  return `# Gaps

Fields that the library promises but a vendor does not send, or sends in a different form than the name suggests. This page
is generated from \`test/connectors/*/facts.json\` of the repository.

${parts.join('\n\n')}
`;
}

writeFileSync(join(root, 'dist/fidelity.md'), fidelityPage());
writeFileSync(join(root, 'dist/gaps.md'), gapsPage());
