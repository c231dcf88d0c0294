/** The product's pages, in the browser. */
import { finishConnect, openConnect } from 'agent-connectors/connect';

const post = async (path: string, body: object) =>
  (
    await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  ).json();

// #region click
/** The handler of a button "Connect Google Drive". */
export async function connectGoogleDrive(): Promise<string> {
  const { address } = await openConnect(post('/connect', { type: 'google-drive' }));
  const { status } = await post('/connected', { address });
  return status;
}
// #endregion

// #region return-page
/** The page /connected, where the browser comes back to. */
export async function returnPage(): Promise<void> {
  const returned = await finishConnect();
  // In a window of its own this is not reached; in the same tab the page goes on here.
  if (returned) await post('/connected', { address: returned.address });
}
// #endregion
