/** The script of the pages, in the browser. */
import { finishConnect, openConnect } from 'agent-connectors/connect';

async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** Click handler for a "Connect Linear" button; aborting the signal stops the wait. */
async function connect(account: { type?: string; connectorId?: string }, signal: AbortSignal) {
  const { address } = await openConnect(post('/connect', account), { signal });
  await finish(address);
}

/** The /connected page, to which the browser returns. */
async function returnPage() {
  const returned = await finishConnect();
  // Not reached in a popup window; in the same tab, the page continues here.
  if (returned) await finish(returned.address);
}

/** The server verifies the URL, and the page reloads to show the result. */
async function finish(address: string) {
  await post('/connected', { address });
  location.replace('/');
}

const waiting = document.querySelector<HTMLElement>('#waiting');
const alert = document.querySelector<HTMLElement>('#alert');
const show = (error: unknown) => {
  if (alert) alert.textContent = error instanceof Error ? error.message : String(error);
};

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-type], button[data-connector-id]')) {
  button.addEventListener('click', async () => {
    const stop = new AbortController();
    waiting?.querySelector('button')?.addEventListener('click', () => stop.abort('Nothing was connected.'));
    waiting?.toggleAttribute('hidden', false);
    await connect(button.dataset, stop.signal).catch(show);
    waiting?.toggleAttribute('hidden', true);
  });
}
returnPage().catch(show);
