"""The description as one HTML page without scripts and without external resources, readable on a phone and on paper."""

import html
import json
import re

import describe_expand

STYLE = """
:root { color-scheme: light dark; --ink: #1c2420; --dim: #5d6b64; --line: #d9e2dc; --paper: #fff; --leaf: #1f7a4d; --soft: #f3f7f4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4ece7; --dim: #9aa8a0; --line: #2c3832; --paper: #121714; --leaf: #6fcf9b; --soft: #1a211d; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, "Noto Sans SC", sans-serif; }
a { color: var(--leaf); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, .path { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .88em; }
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--soft); padding: .8rem 1rem; border-radius: 8px; overflow-x: auto; line-height: 1.45; }
pre code { padding: 0; background: none; font-size: 1em; }
nav { position: fixed; inset: 0 auto 0 0; width: 19rem; overflow-y: auto; padding: 1.2rem; border-right: 1px solid var(--line); }
nav { font-size: .88rem; }
nav h2 { font-size: .8rem; margin: 1.1rem 0 .2rem; font-weight: 600; border: 0; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { padding: .08rem 0; }
main { margin-left: 19rem; padding: 1.5rem 2.5rem 6rem; max-width: 62rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .3rem 0 .6rem; } h2 { margin-top: 3rem; border-bottom: 2px solid var(--leaf); }
section.operation { border-top: 1px solid var(--line); padding-top: .4rem; margin-top: 1.6rem; }
section.operation h3 { margin: .6rem 0 .1rem; font-size: 1.12rem; }
.method { display: inline-block; min-width: 4.3em; font-weight: 700; color: var(--leaf); }
.path { font-size: .95rem; overflow-wrap: anywhere; } .dim { color: var(--dim); } .who { font-size: .85rem; color: var(--dim); }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 600; } details { margin: .4rem 0; } summary { cursor: pointer; color: var(--dim); }
td.status { width: 4rem; font-weight: 700; }
@media (max-width: 56rem) { nav { position: static; width: auto; border: 0; } main { margin: 0; padding: 1rem; } }
@media print { nav { display: none; } main { margin: 0; } details { display: block; } }
"""

WHO = {
    "anyone": "anyone", "account": "signed in", "merchant": "the shop's owner or staff",
    "manager": "the shop's owner or a manager", "owner": "the shop's owner",
    "operator": "an operator"}


def text(value):
    return html.escape(str(value), quote=True)


def inline(value):
    """Renders one line with the small part of Markdown that descriptions use."""
    value = text(value)
    value = re.sub(r"`([^`]+)`", r"<code>\1</code>", value)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", value)


def blocks(value):
    """Renders paragraphs and tables."""
    made = []
    for block in str(value).strip().split("\n\n"):
        lines = block.split("\n")
        if lines[0].startswith("|"):
            rows = [[inline(cell.strip()) for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|--")]
            made.append(table(rows[0], rows[1:]))
        else:
            made.append(f"<p>{inline(' '.join(lines))}</p>")
    return "\n".join(made)


def table(titles, rows):
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"


def example(value):
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return f"<pre><code>{text(shown)}</code></pre>"


class Page:
    """The page of a complete document."""

    def __init__(self, document):
        self.document = document

    def resolved(self, thing):
        """The object to which a reference leads, and its name."""
        name = ""
        while "$ref" in thing:
            name = thing["$ref"].rsplit("/", 1)[1]
            place = self.document
            for part in thing["$ref"].removeprefix("#/").split("/"):
                place = place[part]
            thing = place
        return thing, name

    def html(self):
        info = self.document["info"]
        operations = [
            (path, method, item[method], item.get("parameters", []))
            for path, item in self.document["paths"].items() for method in describe_expand.METHODS if method in item]
        by_tag = {tag["name"]: [each for each in operations if each[2]["tags"] == [tag["name"]]] for tag in self.document["tags"]}
        parts = [
            "<!doctype html>", '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(info['title'])} API</title>", f"<style>{STYLE}</style></head><body>",
            self.navigation(by_tag), "<main>", f"<h1>{text(info['title'])} API</h1>", f"<p class=dim>{text(info['summary'])} ",
            f"Version {text(info['version'])}; also as <a href=/openapi.yaml>YAML</a> and <a href=/openapi.json>JSON</a>.</p>",
            blocks(info["description"])]
        for tag in self.document["tags"]:
            parts.append(f"<h2 id=\"{anchor(tag['name'])}\">{text(tag['name'])}</h2><p>{inline(tag['description'])}</p>")
            parts += [self.operation(*each) for each in by_tag[tag["name"]]]
        parts.append("<h2 id=schemas>Schemas</h2>")
        parts += [self.schema(name, schema) for name, schema in self.document["components"]["schemas"].items()]
        parts.append("</main></body></html>")
        return "\n".join(parts) + "\n"

    def navigation(self, by_tag):
        parts = [f"<nav><strong>{text(self.document['info']['title'])}</strong>"]
        for tag, operations in by_tag.items():
            parts.append(f"<h2><a href=\"#{anchor(tag)}\">{text(tag)}</a></h2><ul>")
            parts += [f"<li><a href=\"#{text(each[2]['operationId'])}\">{text(each[2]['summary'])}</a></li>" for each in operations]
            parts.append("</ul>")
        parts.append("<h2><a href=#schemas>Schemas</a></h2></nav>")
        return "\n".join(parts)

    def operation(self, path, method, operation, shared):
        who = " or ".join(WHO[each] for each in operation["x-who"].split(","))
        parts = [
            f"<section class=operation id=\"{text(operation['operationId'])}\"><h3>{text(operation['summary'])}</h3>",
            f"<div class=path><span class=method>{method.upper()}</span> {text(path)}</div>",
            f"<div class=who>Who: {text(who)} · <code>{text(operation['operationId'])}</code></div>",
            blocks(operation.get("description", "")) if "description" in operation else ""]
        parameters = [self.resolved(each)[0] for each in shared + operation.get("parameters", [])]
        if parameters:
            rows = [
                [f"<code>{text(each['name'])}</code>", text(each["in"]) + (", required" if each.get("required") else ""),
                 self.type(each["schema"]), inline(each.get("description", ""))] for each in parameters]
            parts.append(table(["parameter", "in", "type", ""], rows))
        if "requestBody" in operation:
            parts.append(self.body(operation["requestBody"]))
        parts.append(self.responses(operation["responses"]))
        parts.append("</section>")
        return "\n".join(parts)

    def body(self, reference):
        body, _ = self.resolved(reference)
        needed = "" if body.get("required") else ", may be left out"
        parts = []
        for kind, media in body["content"].items():
            parts.append(f"<p><strong>Body</strong> <span class=dim>{text(kind)}{needed}</span> {self.type(media['schema'])}</p>")
            schema, _ = self.resolved(media["schema"])
            if "properties" in schema:
                parts.append(self.fields(schema))
            shown = [media["example"]] if "example" in media else [each["value"] for each in media.get("examples", {}).values()]
            parts += [example(each) for each in shown]
        return "\n".join(parts)

    def responses(self, responses):
        rows = []
        for status, reference in responses.items():
            response, _ = self.resolved(reference)
            cell = inline(response["description"])
            if int(status) < 400 or "application/json" in response.get("content", {}):
                for kind, media in response.get("content", {}).items():
                    cell += f" <span class=dim>{text(kind)}</span> {self.type(media['schema'])}"
                names = ", ".join(f"<code>{text(name)}</code>" for name in response.get("headers", {}))
                cell += f"<br><span class=dim>with {names}</span>" if names else ""
            rows.append([f"<strong>{status}</strong>", cell])
        return table(["status", ""], rows)

    def fields(self, schema):
        required = schema.get("required", [])
        rows = []
        for name, field in schema["properties"].items():
            whole, _ = self.resolved(field)
            note = field.get("description", "") or (whole.get("description", "") if "enum" not in whole else "")
            rows.append([
                f"<code>{text(name)}</code>", self.type(field) + (" <strong>required</strong>" if name in required else ""),
                inline(note.split("\n")[0])])
        return table(["field", "type", ""], rows)

    def schema(self, name, schema):
        parts = [f"<section class=operation id=\"schema-{text(name)}\"><h3>{text(name)}</h3>"]
        if "description" in schema:
            parts.append(blocks(schema["description"]))
        for part in schema.get("allOf", [schema]):
            if "$ref" in part:
                parts.append(f"<p>Everything of {self.type(part)}, and:</p>")
            elif "properties" in part:
                parts.append(self.fields(part))
            elif "x-codes" not in part and name != "ProblemCode":
                parts.append(f"<p>{self.type(part)}</p>")
        parts += [f"<details><summary>Example</summary>{example(each)}</details>" for each in schema.get("examples", [])]
        parts.append("</section>")
        return "\n".join(parts)

    def type(self, schema):
        """A type in a few words, with its limits."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return f"<a href=\"#schema-{text(name)}\">{text(name)}</a>"
        for word in ("oneOf", "anyOf"):
            if word in schema and "type" not in schema:
                return " or ".join(self.type(each) for each in schema[word])
        if "const" in schema:
            return f"<code>{text(schema['const'])}</code>"
        if "enum" in schema:
            return " | ".join(f"<code>{text('null' if each is None else each)}</code>" for each in schema["enum"])
        kinds = schema.get("type", "any")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        words = " or ".join(kinds)
        if "array" in kinds:
            words = words.replace("array", f"array of {self.type(schema.get('items', {}))}")
        else:
            words = text(words)
        return words + limits(schema)


def limits(schema):
    found = []
    for low, high, unit in (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " items")):
        if low in schema and high in schema:
            found.append(f"{schema[low]}–{schema[high]}{unit}")
        elif low in schema:
            found.append(f"≥ {schema[low]}{unit}")
        elif high in schema:
            found.append(f"≤ {schema[high]}{unit}")
    if "format" in schema:
        found.append(schema["format"])
    if "pattern" in schema:
        found.append(f"<code>{text(schema['pattern'])}</code>")
    return f" <span class=dim>({', '.join(found)})</span>" if found else ""


def anchor(name):
    return "tag-" + name.lower().replace(" ", "-")


def page(document):
    return Page(document).html()
