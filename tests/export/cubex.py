"""Reads a Cube4 report (.cubex) with nothing of rmacast: what the format's description says, and Python's tar and XML readers.

Usage: cubex.py FILE. Prints a line per value that is not 0: metric, call path, location and value with tabs between; of a call
path with its call site "NAME@FILE:LINE". The format: D. Gengenbach, pyCubexR, 2020, and Score-P's writer (cubew 4.4).
"""
import struct
import sys
import tarfile
import xml.etree.ElementTree as ElementTree

FORMATS = {"UINT64": "Q", "INT64": "q", "DOUBLE": "d"}


def read_index(data):
    """Byte order, and the numbers of the call paths that have a row."""
    assert data[:11] == b"CUBEX.INDEX", data[:11]
    order = "<" if struct.unpack("<I", data[11:15])[0] == 1 else ">"
    assert struct.unpack(order + "I", data[11:15])[0] == 1, "no byte order"
    version, sparse, count = struct.unpack(order + "HBI", data[15:22])
    assert version == 0 and sparse == 1, (version, sparse)
    rows = struct.unpack(f"{order}{count}I", data[22:])
    assert list(rows) == sorted(set(rows)), "rows are not in order"
    return order, rows


def read_rows(archive, metric, kind, width):
    """Call path number to the values of all locations."""
    try:
        order, rows = read_index(archive.extractfile(f"{metric}.index").read())
    except KeyError:
        return {}
    data = archive.extractfile(f"{metric}.data").read()
    assert data[:10] == b"CUBEX.DATA", data[:10]
    values = struct.unpack(f"{order}{len(rows) * width}{FORMATS[kind]}", data[10:])
    return {row: values[i * width:(i + 1) * width] for i, row in enumerate(rows)}


def call_paths(node, regions, above, found):
    """In the order in which exclusive metrics number them: a path before those below it."""
    name = regions[node.get("calleeId")]
    site = f"@{node.get('mod')}:{node.get('line')}" if node.get("mod") else ""
    path = f"{above}/{name}{site}" if above else name
    assert int(node.get("id")) == len(found), "numbers are not in order"
    found.append(path)
    for child in node.findall("cnode"):
        call_paths(child, regions, path, found)


def locations(system):
    """By number, which is their order."""
    found = []
    for group in system.iter("locationgroup"):
        for location in group.findall("location"):
            assert int(location.get("Id")) == len(found), "locations are not in order"
            found.append(f"{group.findtext('name')} {location.findtext('name')}")
    return found


def main():
    sys.setrecursionlimit(10000)
    with tarfile.open(sys.argv[1]) as archive:
        root = ElementTree.fromstring(archive.extractfile("anchor.xml").read())
        program = root.find("program")
        regions = {region.get("id"): region.findtext("name") for region in program.findall("region")}
        paths, places = [], locations(root.find("system"))
        for node in program.findall("cnode"):
            call_paths(node, regions, "", paths)
        metrics = list(root.find("metrics").iter("metric"))
        assert len({m.findtext("uniq_name") for m in metrics}) == len(metrics), "two metrics of one name"
        for metric in metrics:
            if metric.findtext("dtype") not in FORMATS or metric.get("type") != "EXCLUSIVE":
                continue
            rows = read_rows(archive, metric.get("id"), metric.findtext("dtype"), len(places))
            below = [read_rows(archive, m.get("id"), m.findtext("dtype"), len(places)) for m in metric.findall("metric")]
            for number, row in rows.items():
                for place, value in enumerate(row):
                    parts = sum(child[number][place] for child in below if number in child)
                    assert parts <= value + 1e-9, "metrics below have more than their parent"
                    if value:
                        print(metric.findtext("uniq_name"), paths[number], places[place], f"{value:.9g}", sep="\t")


main()
