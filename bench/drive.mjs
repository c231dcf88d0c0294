import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { table, time } from './measure.mjs';

/**
 * Fetches one page of 50 files with every client.
 *
 * @param {string} base @param {string} access_token @param {any} googleapis
 */
export async function driveTables(base, access_token, { drive: google, auth }) {
  let address = '';
  /** @type {Record<string, string>} */
  let headers = {};
  const drive = new GoogleDriveConnector({ credentials: { access_token }, endpoints: base });
  const recorder = new GoogleDriveConnector({
    credentials: { access_token },
    endpoints: base,
    fetch: (input, init) => {
      address = String(input);
      headers = /** @type {Record<string, string>} */ (init?.headers);
      return fetch(input, init);
    },
  });
  await recorder.files.list({ pageSize: 50 });
  const fields = new URL(address).searchParams.get('fields');
  const client = new auth.OAuth2();
  client.setCredentials({ access_token });
  const official = google({ version: 'v3', auth: client, rootUrl: `${base}/` });
  const clients = {
    'bare `fetch`': async () => (await (await fetch(address, { headers })).json()).files.length,
    '`@googleapis/drive`': async () =>
      (await official.files.list({ pageSize: 50, fields, supportsAllDrives: true })).data.files.length,
    '`execute`': async () => (await drive.files.list({ pageSize: 50 })).data.length,
  };
  const what = 'Google Drive, 50 files with all fields';
  return [
    table(`${what}, sequential calls`, await time(clients, 600, 1)),
    table(`${what}, 50 concurrent calls`, await time(clients, 40, 50)),
    table(`${what}, 1,000 concurrent calls`, await time(clients, 6, 1000)),
  ];
}
