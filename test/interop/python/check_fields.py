"""Every field in the client's typed searches: requested, filtered by, and returned under that name."""

import importlib
import json
import re

from pydantic import BaseModel


def searches(slug):
    """Entities of a connector with a typed search, each with the names of its fields."""
    models = vars(importlib.import_module(f"airbyte_agent_sdk.connectors.{slug.replace('-', '_')}.models"))
    for name, model in models.items():
        if name.endswith("SearchData") and isinstance(model, type) and issubclass(model, BaseModel):
            entity = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("SearchData")).lower()
            yield entity, list(model.model_fields)


async def check_fields(slug, connector):
    """Checks them all; returns the number of fields, and the number with a value in some record."""
    known = filled = 0
    faults = []
    for entity, fields in searches(slug):
        search = getattr(connector, entity).context_store_search
        try:
            whole = (await search(query={}, limit=1000)).data
        except Exception as error:
            faults.append(f"{slug} {entity}: {str(error)[:300]}")
            continue
        chosen = (await search(query={}, limit=1000, fields=[[field] for field in fields])).data
        assert len(whole) == len(chosen), entity
        for field in fields:
            known += 1
            try:
                found = (await search(query={"filter": {"neq": {field: None}}}, limit=1000, fields=[[field]])).data
                values = [getattr(one, field) for one in found]
                assert None not in values, f"{values.count(None)} of {len(values)} are None"
                for records in (whole, chosen):
                    full = sum(getattr(one, field) is not None for one in records)
                    assert full == len(found), f"{full} of {len(found)}"
                if values:
                    filled += 1
                    if isinstance(values[0], (str, int, float, bool)):
                        assert (await search(query={"filter": {"eq": {field: values[0]}}}, limit=1)).data, "eq"
            except Exception as error:
                faults.append(f"{slug} {entity}.{field}: {str(error)[:300]}")
    assert not faults, json.dumps(faults, indent=1)
    return known, filled
