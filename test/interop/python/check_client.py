"""Calls our service with the Python client: prints one JSON line per call, and fails if one does."""

import asyncio
import base64
import json
import os
import sys
import tempfile
import traceback
from importlib.metadata import version

from airbyte_agent_sdk import Workspace, connect
from airbyte_agent_sdk.cloud_utils import AirbyteCloudClient

from check_fields import check_fields, searches

ids = json.loads(os.environ["CONNECTORS"])
slugs = {"google-analytics": "google-analytics-data-api"}
release = tuple(map(int, version("airbyte-agent-sdk").split(".")))
checks = []
absent = "absent in this release"


def check(function):
    checks.append(function)
    return function


def connector(name):
    return connect(slugs.get(name, name), connector_id=ids[name], workspace_name="main")


async def fails(call, *texts):
    try:
        await call
    except Exception as error:
        for text in texts:
            assert text in f"{type(error).__name__} {error}", error
    else:
        raise AssertionError("the call succeeded")


async def issues(**params):
    async with connector("linear") as linear:
        return await linear.issues.context_store_search(**params)


@check
async def typed_search():
    found = await issues(query={}, limit=3)
    assert len(found.data) == 3 and isinstance(found.meta.took_ms, int)


@check
async def fields_of_a_search():
    found = await issues(query={"filter": {"neq": {"assignee_id": None}}, "sort": [{"created_at": "desc"}]}, limit=1)
    assert found.data[0].assignee_id and found.data[0].created_at
    chosen = await issues(query={}, limit=1, fields=[["created_at"], ["identifier"]])
    assert chosen.data[0].created_at and chosen.data[0].identifier and chosen.data[0].title is None


@check
async def array_paths():
    found = await issues(query={}, limit=1, fields=[["id"], ["state", "name"]])
    assert found.data[0].id and list(found.data[0].state) == ["name"]


@check
async def operators():
    title = (await issues(query={}, limit=1)).data[0].title
    for filter in (
        {"startswith": {"title": title[:6].upper()}},
        {"endswith": {"title": title[-6:].lower()}},
        {"contains": {"title": title[2:9]}},
    ):
        assert (await issues(query={"filter": filter})).data, filter
    labelled = (await issues(query={"filter": {"not": {"eq": {"label_ids": []}}}}, limit=1)).data[0]
    assert (await issues(query={"filter": {"array_contains": {"label_ids": labelled.label_ids[0]}}})).data


@check
async def skill_docs():
    async with connector("linear") as linear:
        if not hasattr(linear, "read_skill_docs"):
            return absent
        text = await linear.read_skill_docs()
        section = await linear.read_skill_docs("actions.issues.list")
    assert max(len(line) for line in text.splitlines()) > 40 and "issues" in text
    assert max(len(line) for line in section.splitlines()) > 40


@check
async def typed_fields():
    known = filled = 0
    for name in ids:
        slug = slugs.get(name, name)
        if not list(searches(slug)):
            continue
        async with connector(name) as one:
            counts = await check_fields(slug, one)
        known, filled = known + counts[0], filled + counts[1]
    print(f"{known} fields, {filled} of them with values", flush=True)
    assert release < (0, 1, 380) or known >= 338, known


@check
async def connectors_are_deleted():
    async with Workspace(workspace_name="main") as workspace:
        count = len(await workspace.list_connectors())
        await workspace.delete_connector(os.environ["SPARE"])
        assert len(await workspace.list_connectors()) == count - 1


@check
async def connectors_by_slug():
    for name in ids:
        async with connect(slugs.get(name, name), workspace_name="main") as one:
            assert (await one.check()).status == "healthy", name


@check
async def reads_and_writes():
    async with connector("linear") as linear:
        listed = await linear.issues.list(first=2)
        assert len(listed.data) == 2
        one = await linear.issues.get(id=listed.data[0].id)
        assert one["title"] == listed.data[0].title
        team = (await linear.teams.list(first=1)).data[0]
        made = await linear.issues.create(team_id=team.id, title="From Python")
        changed = await linear.issues.update(id=made["issue"]["id"], title="Renamed")
        assert changed["issue"]["title"] == "Renamed", changed


@check
async def prepare():
    client = AirbyteCloudClient(os.environ["AIRBYTE_CLIENT_ID"], os.environ["AIRBYTE_CLIENT_SECRET"])
    if not hasattr(client, "prepare_connector_execute"):
        return absent
    async with connector("linear") as linear:
        issue = (await linear.issues.list(first=1)).data[0]
    params = {"issueId": issue.id, "body": "Planned from Python"}
    plan = await client.prepare_connector_execute(
        ids["linear"], "comments", "create", params, select_fields=["id"], intent="asked for by mail"
    )
    assert plan["status"] == "pending" and plan["preview"]["params"] == params, plan
    assert plan["intent"] == "asked for by mail" and "bundle" not in plan, plan
    # With its own secrets, the client requests a bundle with the location of the credentials, which no plan includes.
    os.environ["SECRETS_CONFIGURED_FROM_ENVIRONMENT"] = "true"
    try:
        async with connector("linear") as linear:
            await fails(linear.execute("comments", "create", params), "ValueError", "bundle")
    finally:
        del os.environ["SECRETS_CONFIGURED_FROM_ENVIRONMENT"]


@check
async def sql_is_refused():
    async with connector("linear") as linear:
        query = linear.execute("issues", "context_store_sql_query", {"sql": "SELECT 1"})
        await fails(query, "ConnectorValidationError", "context_store_search")


@check
async def workflows_are_refused():
    async with Workspace(workspace_name="main") as workspace:
        await fails(workspace.list_workflows(), "HTTPStatusError", "404")


@check
async def check_connectors():
    for name in ids:
        async with connector(name) as one:
            result = await one.check()
            assert result.status == "healthy", (name, result)


@check
async def list_connectors():
    async with Workspace(workspace_name="main") as workspace:
        types = {one.connector_type for one in await workspace.list_connectors()}
    assert types >= set(ids) and None not in types, types


@check
async def resolve_workspace_id():
    async with Workspace(workspace_name="main") as workspace:
        assert await workspace._resolve_workspace_id()


@check
async def errors():
    async with connector("linear") as linear:
        await fails(linear.execute("issues", "list", {"fist": 1}), "ConnectorValidationError", "fist")
        await fails(linear.issues.get(id="ENG-99999"), "HTTPStatusError", "404")


@check
async def downloads():
    async with connector("google-drive") as drive:
        listed = await drive.execute("files", "list", {"q": "mimeType = 'text/plain'", "pageSize": 1})
        file_id = (listed if isinstance(listed, list) else listed.data)[0]["id"]
        if not hasattr(drive.files, "download_text"):
            return absent
        text = await drive.files.download_text(file_id=file_id)
        coded = await drive.files.download_base64(file_id=file_id)
        plain = await drive.files.download(file_id=file_id)
        with tempfile.TemporaryDirectory() as folder:
            # It iterates over the result of the download, which is JSON: the documentation must change once this works.
            await fails(drive.files.download_local(file_id=file_id, path=f"{folder}/file"))
    assert text["encoding"] == "utf-8" and coded["encoding"] == "base64" and plain["content"]
    assert text["content"].encode() == base64.b64decode(coded["content"])


async def main():
    failed = 0
    for run in checks:
        try:
            note = await run()
            print(json.dumps({"call": run.__name__, "ok": True, **({"note": note} if note else {})}), flush=True)
        except Exception as error:
            failed += 1
            print(json.dumps({"call": run.__name__, "ok": False, "error": str(error)[:500]}), flush=True)
            traceback.print_exc()
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


asyncio.run(main())
