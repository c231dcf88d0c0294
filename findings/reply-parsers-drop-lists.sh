#!/usr/bin/env bash
# Guess: libraries that cut the quoted conversation and the signature off a mail keep a reply that contains neither.
# Happens: a list, a rule or a quotation in the reply ends it. A line that begins with "-" and a letter or consists of
#   underscores ends it in node-email-reply-parser 0.1.4 and in email_reply_parser 0.5.12 (Python); "-- option B" in the
#   first, a line "From: Berlin" in the second; a sentence "On Monday Anna wrote:" in both and in email-reply-parser 2.3.7.
# Why it matters: the decisive part of a reply ("-Anna should pay") is missing from a ticket or an index, and what is
#   left reads like a whole answer.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . node-email-reply-parser@0.1.4 email-reply-parser@2.3.7 \
  > /dev/null 2>&1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check email-reply-parser==0.5.12
cat > replies.json <<'JSON'
["Hi,\n\n-Anna should pay\n-Bob should not\n\nCarl", "Decision:\n-- option B\nThanks",
 "See the sums:\n\n__________\nTotal: 500\n\nCarl", "Booked:\n\nFrom: Berlin\nTo: Munich\n\nCarl",
 "Hi,\n\nOn Monday Anna wrote:\nwe accept the offer.\n\nPlease go on.\nCarl"]
JSON
cat > probe.mjs <<'JS'
import { readFileSync } from 'node:fs';
import EmailReplyParser from 'email-reply-parser';
import nodeParser from 'node-email-reply-parser';
const replies = JSON.parse(readFileSync('replies.json'));
const kept = (parse) => replies.map((text) => parse(text).trim().length >= text.length - 1);
console.log(JSON.stringify([
  kept((text) => nodeParser(text).getVisibleText({ aggressive: false })),
  kept((text) => new EmailReplyParser().read(text).getVisibleText()),
]));
JS
cat > probe.py <<'PY'
import json
from email_reply_parser import EmailReplyParser
texts = json.load(open("replies.json"))
print(json.dumps([len(EmailReplyParser.parse_reply(text).strip()) >= len(text) - 1 for text in texts]))
PY
node_kept="$(node probe.mjs)"
python_kept="$(venv/bin/python probe.py)"
echo "kept whole: [list, option, rule, From:, wrote:] node-email-reply-parser and email-reply-parser: $node_kept"
echo "kept whole: email_reply_parser (Python): $python_kept"
[ "$node_kept" = "[[false,false,false,true,false],[true,true,true,true,false]]" ]
[ "$python_kept" = "[false, true, false, false, false]" ]
