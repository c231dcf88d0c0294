"""Calls of the Python client against a service of ours: prints one JSON line for each, and fails where one does."""

import asyncio
import base64
import json
import os
import sys
import traceback

from airbyte_agent_sdk import Workspace, connect

ids = json.loads(os.environ["CONNECTORS"])
checks = []


def check(function):
    checks.append(function)
    return function


def connector(name, slug=None):
    return connect(slug or name, connector_id=ids[name], workspace_name="main")


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
        text = await linear.read_skill_docs()
        section = await linear.read_skill_docs("actions.issues.list")
    assert max(len(line) for line in text.splitlines()) > 40 and "issues" in text
    assert max(len(line) for line in section.splitlines()) > 40


@check
async def check_connectors():
    for name in ("linear", "gong", "granola", "google-drive"):
        async with connector(name) as one:
            result = await one.check()
            assert result.status == "healthy", (name, result)


@check
async def list_connectors():
    async with Workspace(workspace_name="main") as workspace:
        types = {one.connector_type for one in await workspace.list_connectors()}
    assert types == set(ids), types


@check
async def resolve_workspace_id():
    async with Workspace(workspace_name="main") as workspace:
        assert await workspace._resolve_workspace_id()


@check
async def errors():
    try:
        async with connector("linear") as linear:
            await linear.execute("issues", "list", {"fist": 1})
    except Exception as error:
        assert "fist" in str(error), error
    else:
        raise AssertionError("the call succeeded")


@check
async def downloads():
    async with connector("google-drive") as drive:
        listed = await drive.execute("files", "list", {"q": "mimeType = 'text/plain'", "pageSize": 1})
        file_id = (listed if isinstance(listed, list) else listed.data)[0]["id"]
        text = await drive.files.download_text(file_id=file_id)
        coded = await drive.files.download_base64(file_id=file_id)
        plain = await drive.files.download(file_id=file_id)
    assert text["encoding"] == "utf-8" and coded["encoding"] == "base64" and plain["content"]
    assert text["content"].encode() == base64.b64decode(coded["content"])


async def main():
    failed = 0
    for run in checks:
        try:
            await run()
            print(json.dumps({"call": run.__name__, "ok": True}), flush=True)
        except Exception as error:
            failed += 1
            print(json.dumps({"call": run.__name__, "ok": False, "error": str(error)[:500]}), flush=True)
            traceback.print_exc()
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


asyncio.run(main())
