#!/usr/bin/env bash
# Guess: parsers that cut quotes and signatures off an email keep what its author wrote, terms in short lines included.
# Happens: email-reply-parser (PyPI, 0.5.12) takes a last paragraph that starts with a negative number, "-10% for annual
#   plans", for a signature. It, mail-parser-reply 1.36 and planer 1.2.0 take "From: May 1", "To: May 31" for the header of
#   a quoted message, the latter two also "Von:" and "An:"; all that follows is dropped, too. The npm package
#   email-reply-parser 2.3.7 keeps these, but takes "Sent from my point of view" for the start of a signature.
# Why it matters: connectors that store the new part of a thread lose discounts and dates, which is what people search
#   for, and nothing shows that the stored mail is a part. Store the whole text beside the reply.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . email-reply-parser@2.3.7 planer@1.2.0 > /dev/null
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check email-reply-parser==0.5.12 mail-parser-reply==1.36
cat > mails.json <<'JSON'
["The discounts:\n\n-10% for annual plans\n-5% for two seats\n", "The offer:\n\nFrom: May 1\nTo: May 31\nPrice: 300\n",
 "Zur Reise:\n\nVon: Bern\nAn: Basel\nPreis: 30\n", "Yes.\n\nSent from my point of view it is fine.\nGo ahead.\n"]
JSON
cat > probe.mjs <<'JS'
import { createRequire } from 'node:module';
import Parser from 'email-reply-parser';
const require = createRequire(import.meta.url);
const mails = require('./mails.json');
const planer = require('planer');
const rows = {
  'npm email-reply-parser': mails.map((mail) => new Parser().parseReply(mail)),
  planer: mails.map((mail) => planer.extractFrom(mail, 'text/plain')),
};
console.log(JSON.stringify(rows));
JS
cat > probe.py <<'PY'
import json
import subprocess
import sys

from email_reply_parser import EmailReplyParser
from mailparser_reply import EmailReplyParser as Other

mails = json.load(open("mails.json"))
rows = json.loads(subprocess.check_output(["node", "probe.mjs"]))
rows["PyPI email-reply-parser"] = [EmailReplyParser.parse_reply(mail) for mail in mails]
rows["mail-parser-reply"] = [Other(languages=["en", "de"]).parse_reply(text=mail) for mail in mails]
kept = {name: [mail.split("\n")[-2] in reply for mail, reply in zip(mails, replies)] for name, replies in rows.items()}
for name, whole in kept.items():
    print(f"{name}: discounts, dates, Von/An, 'Sent from my' are whole: {whole}")
sys.exit([kept[name] for name in sorted(kept)] != [
    [False, False, True, False], [True, False, False, True], [True, True, True, False], [True, False, False, True]])
PY
venv/bin/python probe.py
