"""A REST source of dlt, loaded into a list."""

import sys

import dlt
from dlt.sources.helpers.rest_client.auth import OAuth2ClientCredentials
from dlt.sources.rest_api import rest_api_source

url, scenario = sys.argv[1:3]
client = {"base_url": url}
if scenario == "revoked":
    token_url = f"{url}/token"
    client["auth"] = OAuth2ClientCredentials(access_token_url=token_url, client_id="id", client_secret="secret")
endpoint = {
    "path": "records",
    "data_selector": "records",
    "paginator": {"type": "cursor", "cursor_path": "next", "cursor_param": "page_token"},
    "incremental": {"cursor_path": "updated_at", "start_param": "since", "initial_value": "2026-01-01T00:00:00Z"},
}


def run():
    ids = []

    @dlt.destination(batch_size=100)
    def collect(items, table):
        if not table["name"].startswith("_dlt"):
            ids.extend(item["id"] for item in items)

    source = rest_api_source({"client": client, "resources": [{"name": "records", "endpoint": endpoint}]})
    dlt.pipeline("peer", destination=collect, dataset_name="peer").run(source)
    return ids


try:
    ids = run()
    if scenario == "late":
        ids = run()
        print(f"outcome: completes; second run reads {', '.join(map(str, sorted(ids)))}")
    else:
        print("outcome: completes")
except Exception as error:
    while error.__cause__:
        error = error.__cause__
    print(f"outcome: raises {type(error).__name__}")
