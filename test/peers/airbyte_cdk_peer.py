"""A declarative source of Airbyte's connector development kit."""

import sys

from airbyte_cdk.models import SyncMode
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource
from airbyte_cdk.test.catalog_builder import CatalogBuilder
from airbyte_cdk.test.entrypoint_wrapper import read

url, scenario = sys.argv[1:3]
requester = {"type": "HttpRequester", "url_base": url, "path": "/records", "http_method": "GET"}
if scenario == "revoked":
    keys = {"client_id": "id", "client_secret": "secret", "refresh_token": "refresh"}
    requester["authenticator"] = {"type": "OAuthAuthenticator", "token_refresh_endpoint": f"{url}/token", **keys}
date_format = "%Y-%m-%dT%H:%M:%SZ"
stream = {
    "type": "DeclarativeStream",
    "name": "records",
    "primary_key": ["id"],
    "retriever": {
        "type": "SimpleRetriever",
        "requester": requester,
        "record_selector": {
            "type": "RecordSelector",
            "extractor": {"type": "DpathExtractor", "field_path": ["records"]},
        },
        "paginator": {
            "type": "DefaultPaginator",
            "page_token_option": {
                "type": "RequestOption",
                "inject_into": "request_parameter",
                "field_name": "page_token",
            },
            "pagination_strategy": {
                "type": "CursorPagination",
                "cursor_value": "{{ response.next }}",
                "stop_condition": "{{ not response.next }}",
            },
        },
    },
    "schema_loader": {"type": "InlineSchemaLoader", "schema": {"type": "object", "properties": {}}},
    "incremental_sync": {
        "type": "DatetimeBasedCursor",
        "cursor_field": "updated_at",
        "datetime_format": date_format,
        "start_datetime": {
            "type": "MinMaxDatetime",
            "datetime": "2026-01-01T00:00:00Z",
            "datetime_format": date_format,
        },
        "start_time_option": {"type": "RequestOption", "inject_into": "request_parameter", "field_name": "since"},
    },
}
manifest = {
    "version": "7.0.0",
    "type": "DeclarativeSource",
    "spec": {"type": "Spec", "connection_specification": {"type": "object", "properties": {}}},
    "check": {"type": "CheckStream", "stream_names": ["records"]},
    "streams": [stream],
}
catalog = CatalogBuilder().with_stream("records", SyncMode.incremental).build()


def run(state):
    source = ConcurrentDeclarativeSource(catalog=catalog, config={}, state=state, source_config=manifest)
    return read(source, {}, catalog, state, expecting_exception=scenario not in ("repeated", "late"))


output = run(None)
if scenario == "late":
    output = run([output.state_messages[-1].state])
    ids = sorted(record.record.data["id"] for record in output.records)
    print(f"outcome: completes; second run reads {', '.join(map(str, ids))}")
elif output.errors:
    error = output.errors[0].trace.error
    text = error.message.split(" (")[0].split(" The requested")[0]
    print(f"outcome: {error.failure_type.value}: {text}")
else:
    print("outcome: completes")
