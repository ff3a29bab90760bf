"""Manual pages, made from the descriptions of options that `--help` also prints."""

import re

# Escapes of the characters that roff would interpret, or would print as typographic signs that cannot be pasted into a shell.
ESCAPES = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"})
HEADING = re.compile(r"[A-Z][A-Z ]+")
# Matches a line such as `  0   done` or `  130, 143  somebody asked for the end`.
EXIT_CODE = re.compile(r" +(\d+(?:, \d+)*) +(\S.*)")


def escaped(text):
    """A line of text, escaped so that roff prints it unchanged."""
    line = text.translate(ESCAPES)
    return "\\&" + line if line.startswith(".") else line


def pages(description, version, date):
    """Pages by file name, one for the program and one for each command, from the JSON of --experimental-dump-help."""
    made = {}

    def visit(command, parents):
        path = [*parents, command["commandName"]]
        name = "-".join(path)
        if name + ".1" in made:
            raise ValueError(f"two manual pages are called {name}")
        made[name + ".1"] = page(command, parents, version, date)
        for child in shown_commands(command):
            visit(child, path)

    visit(description["command"], [])
    return made


def shown_commands(command):
    return [child for child in command.get("subcommands", []) if child.get("shouldDisplay", True) and child["commandName"] != "help"]


def page(command, parents, version, date):
    path = [*parents, command["commandName"]]
    name = "-".join(path)
    abstract = " ".join(command.get("abstract", "").split()).rstrip(".")
    arguments = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    lines = [
        f'.TH "{escaped(name.upper())}" 1 "{date}" "GreenTea {version}" "GreenTea"', ".nh", ".ad l",
        ".SH NAME", f"{escaped(name)} \\- {escaped(abstract)}", ".SH SYNOPSIS", *synopsis(path, arguments, shown_commands(command)),
    ]
    lines += [".SH DESCRIPTION", escaped(abstract) + ".", *discussion(command.get("discussion", ""))]
    if arguments:
        lines += [".SH OPTIONS", *(line for argument in arguments for line in option(argument))]
    if shown_commands(command):
        lines.append(".SH COMMANDS")
    for child in shown_commands(command):
        lines += [".TP", f".BR {escaped(name + '-' + child['commandName'])} (1)", *filled(child.get("abstract", ""))]
    lines += [".SH SEE ALSO", *see_also(path)]
    return "\n".join(lines) + "\n"


def synopsis(path, arguments, commands):
    words = [f"\\fB{escaped(' '.join(path))}\\fR"]
    for argument in arguments:
        if is_everywhere(argument):
            continue
        text = form(argument)
        text = text if not argument.get("isOptional", True) else f"[{text}]"
        words.append(text + (" ..." if argument.get("isRepeating") else ""))
    return [*words, "\\fIcommand\\fR ..."] if commands else words


def is_everywhere(argument):
    return any(name["name"] in ("help", "version") for name in argument.get("names", []))


def form(argument, names=None):
    """An argument as it is typed, such as `--data dir`."""
    value = f"\\fI{escaped(argument.get('valueName') or 'value')}\\fR"
    if argument["kind"] == "positional":
        return value
    name = f"\\fB{escaped(names or dashed(argument.get('preferredName') or argument['names'][0]))}\\fR"
    return name if argument["kind"] == "flag" else f"{name} {value}"


def dashed(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def option(argument):
    names = ", ".join(dashed(name) for name in argument.get("names", [])) or None
    lines = [".TP", form(argument, names), *filled(argument.get("abstract", ""))]
    more = argument.get("discussion", "").strip()
    if more:
        lines += [".IP", *filled(more)]
    facts = []
    if argument.get("allValues"):
        facts.append("One of " + ", ".join(argument["allValues"]) + ".")
    if argument.get("defaultValue"):
        facts.append(f"Default: {argument['defaultValue']}.")
    return lines + filled(" ".join(facts))


def filled(text):
    return [escaped(line.strip()) for line in text.splitlines() if line.strip()]


def discussion(text):
    """Paragraphs, headings, examples and exit codes of a program's long description."""
    lines, heading, is_literal, is_blank = [], "", False, True

    def literal(wanted):
        nonlocal is_literal
        if wanted != is_literal:
            lines.extend([".RS 4", ".nf"] if wanted else [".fi", ".RE"])
            is_literal = wanted

    for line in text.splitlines():
        if not line.strip():
            literal(False)
            is_blank = True
        elif HEADING.fullmatch(line):
            literal(False)
            heading, is_blank = line, False
            lines.append(f".SH {line}")
        elif heading == "EXIT CODES" and line.startswith(" "):
            code = EXIT_CODE.match(line)
            lines.extend([".TP", f".B {escaped(code[1])}", escaped(code[2])] if code else [escaped(line.strip())])
        elif line.startswith("    " if heading == "EXAMPLES" else "  "):
            literal(True)
            lines.append(escaped(line[4:] if heading == "EXAMPLES" else line[2:]))
        else:
            if is_literal or is_blank or heading == "EXAMPLES":
                literal(False)
                lines.extend([] if lines[-1:] == [f".SH {heading}"] else [".PP"])
            lines.append(escaped(line.strip()))
            is_blank = False
    literal(False)
    return lines


def see_also(path):
    lines = [f".BR {escaped('-'.join(path[:-1]))} (1),"] if len(path) > 1 else []
    if path[0] != "greentea":
        lines.append(".BR greentea (1),")
    return [*lines, "/usr/share/doc/greentea/README.Debian, /usr/share/doc/greentea/RUNBOOK.md"]
