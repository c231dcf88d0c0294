import json
import os

from generated.api.default import create_token, execute, search_workspace
from generated.client import AuthenticatedClient, Client
from generated.models.create_token_body import CreateTokenBody
from generated.models.error import Error
from generated.models.execute_body import ExecuteBody
from generated.models.execute_body_params import ExecuteBodyParams
from generated.models.search_workspace_body import SearchWorkspaceBody

settings = json.loads(os.environ["SETTINGS"])
credentials = CreateTokenBody(client_id=settings["clientId"], client_secret=settings["clientSecret"])
token = create_token.sync(client=Client(base_url=settings["url"]), body=credentials).access_token
client = AuthenticatedClient(base_url=settings["url"], token=token)


def call(action, params):
    body = ExecuteBody(entity="issues", action=action, params=ExecuteBodyParams.from_dict(params))
    return execute.sync(settings["connectorId"], client=client, body=body)


listed = call("list", {"first": 3})
refused = call("create", {"title": "Sign-in fails"})
assert isinstance(refused, Error)
found = search_workspace.sync("main", client=client, body=SearchWorkspaceBody(prompt="sign-in"))
received = {"count": len(listed.result), "message": refused.errors[0].message, "cursor": found.meta.cursor}
print(json.dumps(received))
