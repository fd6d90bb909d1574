#!/usr/bin/env python3
"""Each JSON document in a directory is valid by the schema that it names. Usage: check.py SCHEMAS DIRECTORY [--bites]

The validator is python3-jsonschema, which knows nothing of the rows that the schemas are made of. A schema refuses members that
no row has: with --bites each schema must refuse its first document with a member too many, and without each of its members
that it requires. A document may name a schema without rows (OTHERS); any other one is a fault."""
import json
import os
import sys

try:
    import jsonschema
except ImportError:  # of another Python than Debian's
    debian = "/usr/bin/python3"
    if sys.executable == debian:
        raise
    os.execv(debian, [debian] + sys.argv)

OTHERS = {"rmacast.written/1", "rmacast.bench/1", "rmacast.platform/1", "rmacast.mpi-profile/1", "rmacast.sweep-config/1"}


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


def check_bite(document, validator):
    faults = [] if not validator.is_valid({**document, "not_a_row": 1}) else ["a member without a row is valid"]
    for key in validator.schema["required"]:
        if validator.is_valid({other: document[other] for other in document if other != key}):
            faults.append(f"{document['schema']} is valid without {key}")
    return faults


def main():
    validators = open_schemas(sys.argv[1])
    seen, faults, bitten = set(), [], set()
    for name in sorted(os.listdir(sys.argv[2])):
        with open(os.path.join(sys.argv[2], name), "rb") as file:
            text = file.read()
        if text.strip() and text not in seen:
            found = check(name, text, validators)
            faults += found
            document = json.loads(text) if "--bites" in sys.argv and not found else {}
            if document.get("schema") in validators.keys() - bitten:
                bitten.add(document["schema"])
                faults += check_bite(document, validators[document["schema"]])
        seen.add(text)
    print("\n".join(faults[:20]), end="\n" if faults else "")
    sys.exit(bool(faults))


main()
