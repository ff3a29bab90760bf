"""Swift source as a list of top-level declarations, without comments, imports and layout."""

import collections
import re

# Words with which a top-level declaration can begin.
BEGINNINGS = re.compile(
    r"(@|#if|#else|#endif|(public|package|internal|private|fileprivate|open|final|indirect|nonisolated|isolated|static|struct|enum|class"
    r"|actor|protocol|extension|func|let|var|typealias|import|infix|prefix|postfix|operator|precedencegroup|macro|async|borrowing"
    r"|consuming|distributed|weak|unowned)\b)")
IMPORT = re.compile(r"((public|package|internal|private|@\S+) )*import\b")
OPENING = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
STRING_START = re.compile(r'(#*)("""|")')


def without_comments(text):
    """The text without comments. Strings, whatever is in them, stay as they are; each is one item of the answer that begins with `"`
    or `#`, and the code between two of them is another.
    """
    parts, code, place = [], [], 0
    while place < len(text):
        if text.startswith("//", place):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif text.startswith("/*", place):
            place = end_of_block_comment(text, place)
            code.append(" ")
        elif (start := STRING_START.match(text, place)) and not (start[1] and start[2] is None):
            end = end_of_string(text, start)
            parts += ["".join(code), text[place:end]]
            code, place = [], end
        else:
            code.append(text[place])
            place += 1
    return parts + ["".join(code)]


def end_of_block_comment(text, place):
    """The end of a block comment. In Swift, block comments can be nested."""
    depth = 0
    while place < len(text):
        if text.startswith("/*", place):
            depth, place = depth + 1, place + 2
        elif text.startswith("*/", place):
            depth, place = depth - 1, place + 2
            if depth == 0:
                break
        else:
            place += 1
    return place


def end_of_string(text, start):
    """The position after a string literal, whose interpolations may contain strings."""
    hashes, quote = start[1], start[2]
    place, closing, escape = start.end(), quote + hashes, "\\" + hashes
    while place < len(text):
        if text.startswith(closing, place):
            return place + len(closing)
        if text.startswith(escape + "(", place):
            place = end_of_interpolation(text, place + len(escape) + 1)
        elif text.startswith(escape, place):
            place += len(escape) + 1
        else:
            place += 1
    return place


def end_of_interpolation(text, place):
    depth = 1
    while place < len(text) and depth:
        inner = STRING_START.match(text, place)
        if inner:
            place = end_of_string(text, inner)
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
    return place


def lines(text):
    """The lines of code, each with the bracket depth at its beginning. A string literal belongs to the line in which it begins."""
    found, line, start, depth = [], [], 0, 0
    for number, part in enumerate(without_comments(text)):
        if number % 2:
            line.append(part)
            continue
        for character in part:
            if character == "\n":
                found.append((start, "".join(line)))
                line, start = [], depth
            else:
                line.append(character if character != "\t" else " ")
                depth += OPENING.get(character, 0)
    return found + [(start, "".join(line))]


def declarations(text):
    """The top-level declarations of a file, each on one line."""
    found = []
    for depth, line in lines(text):
        line = line.strip()
        if not line:
            continue
        # Attributes on separate lines belong to the following declaration.
        begins = depth == 0 and BEGINNINGS.match(line) and not (found and is_attribute(found[-1]))
        if begins or not found:
            found.append([line])
        else:
            found[-1].append(line)
    whole = [" ".join(declaration) for declaration in found]
    return without_empty_conditions([text for text in whole if not IMPORT.match(text)])


def without_empty_conditions(declarations):
    """The declarations without `#if` blocks that contain only imports, because a merge of several files needs such a block only once."""
    kept = []
    for text in declarations:
        kept.append(text)
        if text == "#endif":
            start = max(index for index, line in enumerate(kept) if line.startswith("#if"))
            if all(line.startswith("#") for line in kept[start:]):
                del kept[start:]
    return kept


def is_attribute(declaration):
    return all(line.startswith("@") and not re.search(r"\b(func|struct|enum|class|actor|protocol|extension|let|var|import)\b", line)
               for line in declaration)


def difference(before, after):
    """The declarations that only one of two sets of files (texts by path) has: two sorted lists of path and declaration."""
    left, right = located(before), located(after)
    return missing(left, right), missing(right, left)


def located(files):
    places = collections.defaultdict(list)
    for path, text in files.items():
        for declaration in declarations(text):
            places[declaration].append(path)
    return places


def missing(these, those):
    return sorted(
        (path, declaration) for declaration, paths in these.items() for path in sorted(paths)[len(those.get(declaration, [])):])
