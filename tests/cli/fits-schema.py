# SPDX-License-Identifier: Apache-2.0
"""fits-schema.py SCHEMA FILE...: each JSON document (.jsonl: each line) of the files is as the schema says.

The schemas let later versions add keys. What this version writes must be in them, so here no other key is taken.
"""
import json
import sys

import jsonschema


def close(schema):
    if isinstance(schema, list):
        return [close(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {k: close(v) for k, v in schema.items()}
    if schema.get("type") in ("object", ["object", "null"]) and "properties" in schema:
        closed["additionalProperties"] = False
    return closed


with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(close(schema))
for name in sys.argv[2:]:
    with open(name) as f:
        text = f.read()
    documents = text.splitlines() if name.endswith(".jsonl") else [text]
    assert documents, name + " is empty"
    for document in documents:
        validator.validate(json.loads(document))
