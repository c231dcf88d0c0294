#!/usr/bin/env bash
# Guess: DSPy shows a language model which arguments of an MCP tool may be left out.
# Happens (dspy 3.4.1): the function that it declares to the model takes "required" from the defaults, not from the
#   server's schema: every argument without a default is required. `Tool.args`, from which ReAct writes its prompt, says
#   nothing of the kind at all.
# Why it matters: in updates, an argument that is left out keeps its value, and null often clears it. A model that has
#   to fill in every argument sends null or an empty text, and renaming an issue removes its assignee and due date.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dspy==3.4.1 mcp==2.3.0
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

import dspy
from mcp.types import Tool

nullable = {"anyOf": [{"type": "string"}, {"type": "null"}]}
schema = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "title": {"type": "string"},
        "assigneeId": {**nullable, "description": "null removes the assignee"},
        "dueDate": {**nullable, "description": "null removes the date"},
        "notify": {"type": "boolean", "default": True},
    },
}
tool = dspy.Tool.from_mcp_tool(None, Tool(name="update_issue", description="Updates an issue", inputSchema=schema))
shown = tool.format_as_litellm_function_call()["function"]["parameters"]
print("dspy", version("dspy"))
print("required by the server:", schema["required"])
print("required for the model:", shown["required"])
sys.exit(shown["required"] != ["id", "title", "assigneeId", "dueDate"])
PY
venv/bin/python probe.py
