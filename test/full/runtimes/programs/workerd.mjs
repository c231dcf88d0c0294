// Runs the bundled worker in workerd, using miniflare: `workerd.mjs <bundle> <subject>`.
import { readFile } from 'node:fs/promises';
import { Miniflare } from 'miniflare';

const [script, subject] = await Promise.all(process.argv.slice(2).map((path) => readFile(path, 'utf8')));
const workers = new Miniflare({ modules: true, script, compatibilityDate: '2026-04-01' });
const answer = async (route) => {
  const body = JSON.stringify({ route, subject: JSON.parse(subject) });
  const response = await workers.dispatchFetch('http://worker.example/', { method: 'POST', body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
};
try {
  const shared = await Promise.all(Array.from({ length: 7 }, () => answer('shared')));
  console.log(JSON.stringify({ ...(await answer('calls')), shared }));
} finally {
  await workers.dispose();
}
