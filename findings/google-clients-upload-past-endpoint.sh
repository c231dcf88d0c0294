#!/usr/bin/env bash
# Guess: a Drive client of Google with another endpoint (`rootUrl` in Node, `api_endpoint` in Python) sends everything there.
# Happens: @googleapis/drive 26.0.1 sends uploads to www.googleapis.com, unless the options of the call repeat `rootUrl`.
#   google-api-python-client 2.200.0 sends uploads to the endpoint, but batches to www.googleapis.com.
# Why it matters: tests against an emulator, and programs behind a gateway that audits or limits writes, look right until
#   the first upload or batch: it goes to the real Drive, with the token of the real account.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @googleapis/drive@26.0.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check google-api-python-client==2.200.0
cat > probe.mjs <<'JS'
import { drive as driveOf } from '@googleapis/drive';

const hosts = [];
const fetchImplementation = async (url) => {
  hosts.push(new URL(url).host);
  return Response.json({ id: '1', files: [] });
};
const rootUrl = 'http://gateway.example/';
const drive = driveOf({ version: 'v3', auth: 'key', rootUrl, fetchImplementation });
await drive.files.list();
await drive.files.create({ media: { body: 'text' } });
await drive.files.create({ media: { body: 'text' } }, { rootUrl });
console.log('@googleapis/drive 26.0.1: list, upload, upload with rootUrl:', hosts.join(' '));
process.exit(hosts.join() === 'gateway.example,www.googleapis.com,gateway.example' ? 0 : 1);
JS
cat > probe.py <<'PY'
import io
import sys
from contextlib import suppress
from urllib.parse import urlsplit

import httplib2
from googleapiclient.discovery import build
from googleapiclient.errors import BatchError
from googleapiclient.http import MediaIoBaseUpload

hosts = []


class Recorder:
    def request(self, uri, *args, **kwargs):
        hosts.append(urlsplit(uri).netloc)
        return httplib2.Response({"status": "200", "content-type": "application/json"}), b'{"id": "1"}'


drive = build("drive", "v3", http=Recorder(), client_options={"api_endpoint": "http://gateway.example"})
drive.files().list().execute()
drive.files().create(media_body=MediaIoBaseUpload(io.BytesIO(b"text"), "text/plain")).execute()
batch = drive.new_batch_http_request()
batch.add(drive.files().list())
with suppress(BatchError):  # the recorder's response is no batch
    batch.execute(http=Recorder())
print("google-api-python-client 2.200.0: list, upload, batch:", hosts)
sys.exit(hosts != ["gateway.example", "gateway.example", "www.googleapis.com"])
PY
node probe.mjs
venv/bin/python probe.py
