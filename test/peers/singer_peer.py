"""A tap of Meltano's Singer SDK."""

import contextlib
import io
import json
import sys

from singer_sdk import Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import OAuthAuthenticator
from singer_sdk.streams import RESTStream

url, scenario = sys.argv[1:3]


class Refresh(OAuthAuthenticator):
    @property
    def oauth_request_body(self):
        return {"grant_type": "refresh_token", "refresh_token": "refresh"}


class Records(RESTStream):
    name = "records"
    path = "/records"
    url_base = url
    primary_keys = ("id",)
    replication_key = "updated_at"
    records_jsonpath = "$.records[*]"
    next_page_token_jsonpath = "$.next"
    schema = th.PropertiesList(th.Property("id", th.IntegerType), th.Property("updated_at", th.DateTimeType)).to_dict()

    @property
    def authenticator(self):
        return Refresh(self, auth_endpoint=f"{url}/token") if scenario == "revoked" else super().authenticator

    def get_url_params(self, context, next_page_token):
        since = {"since": self.get_starting_replication_key_value(context) or ""}
        return since | ({"page_token": next_page_token} if next_page_token else {})


class Peer(Tap):
    name = "tap-peer"
    config_jsonschema = {"properties": {}}

    def discover_streams(self):
        return [Records(self)]


def run(state):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        Peer(config={}, state=state).sync_all()
    messages = [json.loads(line) for line in out.getvalue().splitlines()]
    ids = [message["record"]["id"] for message in messages if message["type"] == "RECORD"]
    return ids, [message["value"] for message in messages if message["type"] == "STATE"][-1]


try:
    ids, state = run(None)
    if scenario == "late":
        ids, state = run(state)
        print(f"outcome: completes; second run reads {', '.join(map(str, sorted(ids)))}")
    else:
        print("outcome: completes")
except Exception as error:
    print(f"outcome: raises {type(error).__name__}")
