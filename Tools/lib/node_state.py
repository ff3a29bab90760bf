"""Lists the state that a node holds beside the log, as the sources declare it and as the manual's table places it."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "Sources/greentea/Manual.docc/NodeState.md"
FOLDER = ROOT / "Sources/LoyaltyCodec/DataFolder.swift"
# The targets above the log that a server has open.
TARGETS = [
    "CommandService", "Composition", "HTTPAPI", "Images", "Nodes", "Projections", "ReadModels", "Search", "Sheets", "TextMessages",
    "WhatIf", "greentea",
]

_HOLDER = re.compile(r"\b(?:Mutex|GenerationalCache|SharedPool|PositionList)\b[<(]")
_PROPERTY = re.compile(r"^ +(?:@\w+ +)*(?:\w+(?:\(\w+\))? +)*?(?:let|var) +(\(?[\w, ]+\)?) *[:=]")
_TYPE = re.compile(r"^(?:@\w+ +)*(?:\w+ +)*?(?:class|struct|enum|actor|extension) +(\w+)")


def indent(line):
    return len(line) - len(line.lstrip(" "))


def enclosing(lines, number):
    """The lines that open the blocks around a line, from the innermost."""
    depth = indent(lines[number])
    found = []
    for line in reversed(lines[:number]):
        if line.strip() and indent(line) < depth and not line.lstrip().startswith(("//", "#", "}")):
            depth = indent(line)
            found.append(line.strip())
    return found


def declared(text):
    """The stored properties of a file that hold a lock or a cache, each as Type.property with the outermost type."""
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines):
        property = _PROPERTY.match(line)
        if not property or not _HOLDER.search(line) or line.lstrip().startswith("//"):
            continue
        blocks = enclosing(lines, number)
        types = [_TYPE.match(block) for block in blocks]
        # A local variable is in a function, an initializer or a closure.
        if not types or not all(types):
            continue
        found += [f"{types[-1].group(1)}.{name.strip()}" for name in property.group(1).strip("()").split(",")]
    return found


def in_sources(root=ROOT):
    """All state of the sources, each with its file."""
    found = {}
    for target in TARGETS:
        for path in sorted((root / "Sources" / target).rglob("*.swift")):
            for name in declared(path.read_text()):
                found[name] = str(path.relative_to(root))
    for name in re.findall(r"public var (\w+): String \{", FOLDER.read_text()):
        found[f"DataFolder.{name}"] = str(FOLDER.relative_to(root))
    return found


def placed(text):
    """The names in the first column of the table, each as often as it occurs."""
    rows = [line for line in text.split("\n") if line.startswith("| ") and line.count("|") == 3]
    return [name for row in rows for name in re.findall(r"`(\w+\.\w+)`", row.split("|")[1])]
