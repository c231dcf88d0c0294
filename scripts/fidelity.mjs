/**
 * Writes docs/fidelity.md and docs/gaps.md from the connectors' facts.json.
 *
 * With the path of a Vitest JSON report, every test named in a row must be in it and have passed; --check compares
 * with the committed pages instead of writing.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const report = process.argv.slice(2).find((argument) => !argument.startsWith('--'));

/** Columns of a ledger; a row has exactly these. */
const columns = {
  facts: ['area', 'fact', 'source', 'verified', 'we', 'tests'],
  gaps: ['entity', 'field', 'vendor', 'we', 'tests'],
};

async function readLedgers() {
  const folder = join(root, 'test/connectors');
  const names = (await readdir(folder)).sort();
  const found = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name, 'facts.json'), 'utf8').catch(() => undefined);
      return text === undefined ? [] : [{ name, ...JSON.parse(text) }];
    }),
  );
  return found.flat();
}

/** Errors in the format of a row. */
function formErrors(row, kind) {
  const wrong = columns[kind].filter((column) => row[column] === undefined || row[column] === '');
  const unknown = Object.keys(row).filter((key) => !columns[kind].includes(key));
  if (wrong.length + unknown.length > 0) return [`lacks ${wrong} or has ${unknown}`];
  if (kind === 'facts' && typeof row.verified !== 'boolean') return ['verified is neither true nor false'];
  return row.tests.length === 0 ? ['names no test'] : [];
}

/** The statuses of all tests in a report, by full name; several tests may share a name. */
async function readStatuses(file) {
  const { testResults } = JSON.parse(await readFile(file, 'utf8'));
  const statuses = new Map();
  for (const { ancestorTitles, title, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const name = [...ancestorTitles, title].join(' > ');
    statuses.set(name, [...(statuses.get(name) ?? []), status]);
  }
  return statuses;
}

function failingTests({ tests }, statuses) {
  return tests.flatMap((name) => {
    const found = statuses.get(name);
    if (!found) return [`no test is called '${name}'`];
    const other = found.find((status) => status !== 'passed');
    return other ? [`'${name}' is ${other}`] : [];
  });
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const proof = (tests) => tests.map((name) => `“${name}”`).join('; ');

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
  const ranks = source.split('; ').map((one) => sourceKinds.findIndex(([, pattern]) => pattern.test(one)));
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

function fidelityPage(ledgers) {
  const parts = ledgers.map(({ name, facts }) => {
    const rows = facts.map((row) => [
      row.area,
      row.verified ? row.fact : `${row.fact} *(not verified)*`,
      row.we,
      row.verified && kindOf(row) === 'third party' ? `${row.source} *(third party)*` : row.source,
      proof(row.tests),
    ]);
    return `## ${name}

${sourceCounts(facts)}

${table(['Area', 'How the vendor behaves', 'What the library does', 'Source', 'Tests'], rows)}`;
  });
  return `# Fidelity

How each vendor behaves, where that is known from, and the tests that prove what the library does. This page is made from
\`test/connectors/*/facts.json\` by \`node scripts/fidelity.mjs\`; \`npm test\` fails if a test named here is missing,
skipped or red.

**The maintainers have not run any connector against a real account.** Facts are counted by their strongest source:

- Documentation: of the vendor, or of a standard.
- Schema or SDK: published by the vendor.
- Recordings: responses and measurements from the live API, published by others.
- Third parties: issue trackers, articles and the code of other clients.
- Not verified: reported or inferred, and not confirmed.

${parts.join('\n\n')}
`;
}

function gapsPage(ledgers) {
  const parts = ledgers.map(({ name, gaps }) => {
    const rows = gaps.map(({ entity, field, vendor, we }) => [entity, `\`${field}\``, vendor, we]);
    return `## ${name}\n\n${table(['Entity', 'Field', 'What the vendor sends', 'What you get'], rows)}`;
  });
  return `# Gaps

Fields that the library promises but a vendor does not send, or sends in a different form than the name suggests. This page
is generated from \`test/connectors/*/facts.json\` by \`node scripts/fidelity.mjs\`.

${parts.join('\n\n')}
`;
}

const ledgers = await readLedgers();
const statuses = report === undefined ? undefined : await readStatuses(report);
const faults = ledgers.flatMap(({ name, ...ledger }) =>
  Object.keys(columns).flatMap((kind) =>
    ledger[kind].flatMap((row) =>
      [...formErrors(row, kind), ...(statuses ? failingTests(row, statuses) : [])].map(
        (fault) => `${name}: ${row.fact ?? `${row.entity} ${row.field}`}: ${fault}`,
      ),
    ),
  ),
);

const pages = { 'docs/fidelity.md': fidelityPage(ledgers), 'docs/gaps.md': gapsPage(ledgers) };
for (const [path, text] of Object.entries(pages)) {
  if (!check) {
    await mkdir(join(root, 'docs'), { recursive: true });
    await writeFile(join(root, path), text);
  } else if ((await readFile(join(root, path), 'utf8').catch(() => '')) !== text) {
    faults.push(`${path} does not match the facts: run node scripts/fidelity.mjs`);
  }
}

for (const fault of faults) console.log(fault);
const rows = ledgers.reduce((sum, { facts, gaps }) => sum + facts.length + gaps.length, 0);
console.log(`${rows} rows for ${ledgers.length} connectors, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
