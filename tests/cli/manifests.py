# SPDX-License-Identifier: Apache-2.0
"""Holds manifests against the schema of `rhost schema`.

  manifests.py SCHEMA collect DIR FILE...   those in pages (*.md) and tests (*.bats), into DIR
  manifests.py SCHEMA fit FILE...           each must fit
  manifests.py SCHEMA refuse FILE           each line of it must not fit

Prints what is otherwise than it should be."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

import jsonschema
import yaml


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML 1.2's core schema, as rhost and the language server of the editors read it, and the tags of rhost."""

    yaml_implicit_resolvers = {}


for tag, pattern, first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
     "-+0123456789."),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
):
    Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))


def construct_int(loader, node):
    text = loader.construct_scalar(node)
    return int(text, 0) if text.startswith(("0x", "0o")) else int(text)


def construct_tagged(loader, _suffix, node):
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


Loader.add_constructor("tag:yaml.org,2002:int", construct_int)
Loader.add_multi_constructor("!", construct_tagged)


def blocks(path):
    """The texts in a page or a test that may be manifests."""
    text = open(path, encoding="utf-8").read()
    if path.endswith(".md"):
        for found in re.finditer(r"^( *)```ya?ml\n(.*?)^ *```", text, re.M | re.S):
            yield re.sub("^" + found[1], "", found[2], flags=re.M)
        return
    for found in re.finditer(r"<<-?(['\"]?)(\w+)\1[^\n]*\n(.*?)^\t*\2$", text, re.M | re.S):
        body = found[3]
        if not found[1]:  # the shell fills these in
            body = re.sub(r"\\\$", "\0", body)
            body = re.sub(r"\$\{?[A-Za-z_]\w*\}?", "/tmp/x", body).replace("\0", "$")
        yield body
    for found in re.finditer(r"printf '((?:resources|attributes):[^']*)'", text):
        yield found[1].replace("\\n", "\n")


def whole(text):
    """The text, where it is a manifest, a role or an environment or a list of entries; else None."""
    try:
        value = yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError):
        return None
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return "resources:\n" + text
    if isinstance(value, dict) and value.keys() & {"resources", "attributes", "roles", "schedules"}:
        return text
    return None


def is_valid(path):
    rhost = os.environ.get("RHOST", "rhost")
    command = [rhost, "validate", "--quiet", "--isolation=none", "--state-dir", os.environ["STATE_DIR"], path]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def collect(folder, paths):
    names = []
    for path in paths:
        for i, block in enumerate(blocks(path)):
            text = whole(block)
            if text is None:
                continue
            names.append(os.path.join(folder, f"{path.replace('/', '-')}-{i}.yaml"))
            with open(names[-1], "w", encoding="utf-8") as file:
                file.write(text)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        valid = list(pool.map(is_valid, names))
    for name, good in zip(names, valid):
        if not good:
            os.unlink(name)
    print(f"{sum(valid)} of {len(names)} are manifests without errors")


def any_of(validator, branches, instance, schema):
    """anyOf, without the branches that an entry of another type cannot fit: most of the time goes into these."""
    def may_fit(branch):
        return all(key in instance for key in branch.get("required", ())) and all(
            instance[key] == value["const"] for key, value in branch.get("properties", {}).items()
            if key in instance and isinstance(value, dict) and "const" in value)

    if isinstance(instance, dict):
        branches = [branch for branch in branches if may_fit(branch)]
    yield from jsonschema.Draft202012Validator.VALIDATORS["anyOf"](validator, branches, instance, schema)


Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"anyOf": any_of})


def errors(validator, value):
    return [error.message[:200] for error in validator.iter_errors(value)]


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    validator = Validator(schema)
    wrong = 0

    if sys.argv[2] == "collect":
        collect(sys.argv[3], sys.argv[4:])
    elif sys.argv[2] == "fit":
        validator.check_schema(schema)
        for path in sys.argv[3:]:
            with open(path, encoding="utf-8") as file:
                found = errors(validator, yaml.load(file, Loader))
            if found:
                print(path, *found, sep="\n    ")
                wrong += 1
    else:
        for line in open(sys.argv[3], encoding="utf-8"):
            if not errors(validator, yaml.load(line, Loader)):
                print("fits, and should not:", line, end="")
                wrong += 1
    sys.exit(1 if wrong else 0)


main()
