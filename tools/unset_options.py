#!/usr/bin/env python3
"""Lists the options of the scenario schema that no scenario, no test and no source but their declaration names.

    tools/unset_options.py

An option is named where the last part of its path, or the variable that its declaration names, stands in a JSON file
below scenarios/ except the schema, or in a source or script below tests/.
"""
import json
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent
SOURCED = {"value", "source", "calibrated", "note"}  # how a testbed writes a constant


def options(schema, path=()):
    """The paths of all options below a schema."""
    alternatives = [a for a in schema.get("anyOf", []) + schema.get("oneOf", []) if "properties" in a]
    alternatives = [a for a in alternatives if not set(a["properties"]) <= SOURCED]
    if "items" in schema:
        yield from options(schema["items"], path)
    elif "properties" in schema or alternatives:
        for part in [schema] + alternatives:
            for name, inner in part.get("properties", {}).items():
                yield from options(inner, path + (name,))
    else:
        yield path


def texts():
    for file in sorted((root / "scenarios").rglob("*.json")):
        if file.parent.name != "schema":
            yield file.read_text()
    for file in sorted((root / "tests").rglob("*")):
        if file.is_file() and file.suffix != ".patch":
            yield file.read_text(errors="replace")


named = set()
for text in texts():
    named.update(re.findall(r"[\w$-]+", text))
declaration = re.compile(r'\.\w+\(\s*"([\w.]+)",\s*([\w.]+),')
for folder in ("models", "protocols", "tools"):
    for file in (root / folder).rglob("*.cpp"):
        for option, variable in declaration.findall(file.read_text()):
            if variable.rsplit(".", 1)[-1] in named:
                named.add(option.rsplit(".", 1)[-1])
schema = json.loads((root / "scenarios/schema/scenario.json").read_text())["else"]  # of one without a base
for path in sorted({".".join(path) for path in options(schema) if path and path[-1] not in named}):
    print(path)
