"""Assets of the pages: each gets an address made from its content, and each names the others by those addresses.

Browsers get scripts without the lines that are only comments, which are a third of what they would load.

In any text, `asset:NAME` stands for the address of another asset. A script imports another by `"./NAME.js"`, which is what editors and
tsc understand, and gets the address there, too. An address has a hash of the content with all addresses filled in, so that a change
reaches everything that uses it, and what browsers keep for a year never goes stale. Files that import each other in a circle can have
no such hash and are refused.
"""

import base64
import gzip
import hashlib
import re

TYPES = {
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "ico": "image/x-icon", "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
}
# Assets with a fixed address instead of an address with a hash, because browsers and other programs know this address.
FIXED = {name: "/" + name for name in ("sw.js", "manifest.webmanifest", "favicon.ico")}
HASH_CHARACTERS = 16
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-zA-Z0-9]+)*(\.[a-zA-Z-]+)?\.[a-z]+")
REFERENCE = re.compile(r"asset:([A-Za-z0-9._-]*[A-Za-z0-9])")
IMPORT = re.compile(r"""(\bfrom\s*|\bimport\s*\(?\s*)(["'])\./([\w.-]+)\2""")
STATIC_IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*)["']\./([\w.-]+)["']""")
# A comment that has its lines for itself, and no licence, which must stay.
COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?!\s*@preserve)(?:(?!\*/).)*\*/)[ \t]*$", re.MULTILINE | re.DOTALL)
COMPRESSED = ("css", "js", "svg", "webmanifest", "txt", "ico")


class Wrong(Exception):
    """The sources of the pages are inconsistent."""


class Asset:
    """One file as browsers get it."""

    def __init__(self, name, content, imports):
        ending = name.rsplit(".", 1)[1]
        self.name, self.content, self.imports, self.type = name, content, imports, TYPES[ending]
        self.hash = hashlib.sha256(content).hexdigest()[:HASH_CHARACTERS]
        self.path = FIXED.get(name) or f"/assets/{name[:-len(ending) - 1]}.{self.hash}.{ending}"
        packed = gzip.compress(content, 9, mtime=0) if ending in COMPRESSED else None
        self.packed = packed if packed and len(packed) < len(content) else None


def resolve(sources):
    """Every asset by its name, made from the bytes of the source files."""
    assets = {}
    for name in sorted(sources):
        if not NAME.fullmatch(name) or name.rsplit(".", 1)[1] not in TYPES:
            raise Wrong(f"Assets/{name}: a name is lower case, with an ending of {', '.join(TYPES)}")
        make(name, sources, assets, [])
    return assets


def make(name, sources, assets, users):
    """Makes an asset after the assets that it names."""
    if name in assets:
        return assets[name]
    if name in users:
        raise Wrong(f"Assets: these name each other in a circle: {' '.join(users[users.index(name):] + [name])}")
    if name not in sources:
        raise Wrong(f"Assets/{users[-1]} names {name}, which is not there")
    content, imports = sources[name], []
    if not name.endswith((".png", ".ico")):
        text = content.decode()

        def address(found):
            return make(found, sources, assets, users + [name]).path

        if name.endswith(".js"):
            text = bare(text)
            imports = list(dict.fromkeys(STATIC_IMPORT.findall(text)))
            text = IMPORT.sub(lambda match: f"{match[1]}{match[2]}{address(match[3])}{match[2]}", text)
        content = REFERENCE.sub(lambda match: address(match[1]), text).encode()
    assets[name] = Asset(name, content, imports)
    return assets[name]


def bare(script):
    """A script without comments that have lines for themselves. The lines stay, empty, so that browsers name the lines of the source."""
    return COMMENT.sub(lambda match: "\n" * match[0].count("\n"), script)


def leaflet(script, style):
    """Leaflet's module and style sheet as sources of assets: without the address of a source map, without the pictures of controls that
    no page of ours has, and with a file where it shows an empty picture as data, which the policy of pages forbids."""
    if "innerHTML" not in script or not re.search(r"\bexport\s*\{", script):
        raise Wrong("leaflet.esm.min.js: this is not Leaflet as a module")
    script = re.sub(r"\n//# sourceMappingURL=.*", "", script)
    script, count = re.subn(r"data:image/gif;base64,[\w+/=]+", "asset:empty.svg", script)
    if count != 1 or "data:" in script:
        raise Wrong("leaflet.esm.min.js: it shows other data than one empty picture")
    style = re.sub(r"background-image:\s*url\([^)]*\)", "background-image:none", re.sub(r"\n?/\*# sourceMappingURL=.*?\*/", "", style))
    style = re.sub(r"behavior:\s*url\([^)]*\);?", "", style)
    if "url(" in style:
        raise Wrong("leaflet.css: it names a picture in another way")
    return {"leaflet.js": script.encode(), "leaflet.css": style.encode()}


def needed(name, assets):
    """All scripts that a script imports, directly or not, once each, so that the browser fetches them all at once."""
    found = []
    for imported in assets[name].imports:
        for each in needed(imported, assets) + [imported]:
            if each not in found:
                found.append(each)
    return found


def identifier(name):
    """A file's name without its extension as a Swift identifier: `card-list.js` gives `cardList`."""
    first, *others = re.split(r"[-.]", name.rsplit(".", 1)[0])
    return first + "".join(part[:1].upper() + part[1:] for part in others)


def quoted(text):
    """A text as a Swift literal on one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    if any(ord(character) < 32 for character in escaped):
        raise Wrong(f"a control character in: {text[:60]}")
    return f'"{escaped}"'


HEAD = "// Made by Tools/embed; not to be edited.\n\n"


def swift(assets):
    """The assets as Swift, with an enumeration of the scripts that pages may name."""
    lines = [HEAD + "extension Asset {", "    /// Everything that browsers load.", "    static let embedded: [Asset] = ["]
    for asset in assets.values():
        packed = f'"{base64.b64encode(asset.packed).decode()}"' if asset.packed else "nil"
        lines.append(f"        Asset(name: {quoted(asset.name)}, path: {quoted(asset.path)}, contentType: {quoted(asset.type)}, "
                     f"hash: {quoted(asset.hash)}, plain: \"{base64.b64encode(asset.content).decode()}\", packed: {packed}),")
    lines += ["    ]", "}", "", "/// The scripts, each a module.", "public enum Script: String, CaseIterable, Sendable {"]
    scripts = [name for name in assets if name.endswith(".js") and name not in FIXED and not re.fullmatch(r"words\.[\w-]+\.js", name)]
    lines += [f"    case `{identifier(name)}` = {quoted(name)}" for name in scripts]
    lines += ["", "    /// The addresses of the modules that it imports, directly or not.", "    var imported: [String] {",
              "        switch self {"]
    for name in scripts:
        paths = ", ".join(quoted(assets[each].path) for each in needed(name, assets))
        lines.append(f"        case .`{identifier(name)}`: [{paths}]")
    return "\n".join(lines + ["        }", "    }", "}"]) + "\n"


def swift_templates(templates, assets):
    """The templates as Swift, with the addresses of assets filled in."""
    lines = [HEAD + "/// The templates of `Templates/`.", "public enum TemplateName: String, CaseIterable, Sendable {"]
    texts = []
    for name, text in templates.items():
        if not name.endswith(".mustache"):
            raise Wrong(f"Templates/{name}: a template's name ends in .mustache")
        if "{{{" in text or re.search(r"\{\{\s*&", text):
            raise Wrong(f"Templates/{name}: everything is escaped, so there is no {{{{{{ and no {{{{&")
        if re.search(r"\son\w+\s*=|\sstyle\s*=|javascript:|<script(?![^>]*\ssrc=)", text, re.IGNORECASE):
            raise Wrong(f"Templates/{name}: the policy of pages allows no script and no style in the text")

        def address(match, name=name):
            if match[1] not in assets:
                raise Wrong(f"Templates/{name} names the asset {match[1]}, which is not there")
            return assets[match[1]].path

        short = name[:-len(".mustache")]
        lines.append(f"    case `{identifier(name)}` = {quoted(short)}")
        texts.append(f"        case .`{identifier(name)}`: {quoted(REFERENCE.sub(address, text))}")
    return "\n".join(lines + ["", "    /// The template itself.", "    var text: String {", "        switch self {"] + texts + [
        "        }", "    }", "}"]) + "\n"
