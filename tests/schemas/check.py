#!/usr/bin/env python3
"""Each JSON document in a directory is valid by the schema that it names. Usage: check.py SCHEMAS DIRECTORY

The validator is python3-jsonschema, which knows nothing of the rows that the schemas are made of. A schema refuses members that
no row has. A document that names a schema without rows (OTHERS) is only counted; any other one is a fault."""
import json
import os
import sys

import jsonschema

OTHERS = {"rmacast.written/1", "rmacast.probe/1", "rmacast.bench/1", "rmacast.platform/1", "rmacast.mpi-profile/1", "rmacast.sweep-config/1"}


def open_schemas(directory):
    validators = {}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name)) as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[schema["title"]] = jsonschema.Draft202012Validator(schema)
    return validators


def check(name, text, validators):
    """Lines that say what is wrong."""
    try:
        document = json.loads(text)
    except ValueError as fault:
        return [f"{name}: {fault}"]
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema in OTHERS:
        return []
    if schema not in validators:
        return [f"{name}: schema {schema!r} is not installed"]
    return [f"{name}: {schema}: /{'/'.join(map(str, fault.path))}: {fault.message[:300]}"
            for fault in list(validators[schema].iter_errors(document))[:5]]


def main():
    validators = open_schemas(sys.argv[1])
    seen, faults = set(), []
    for name in sorted(os.listdir(sys.argv[2])):
        with open(os.path.join(sys.argv[2], name), "rb") as file:
            text = file.read()
        if text.strip() and text not in seen:
            faults += check(name, text, validators)
        seen.add(text)
    print("\n".join(faults[:20]), end="\n" if faults else "")
    sys.exit(bool(faults))


main()
