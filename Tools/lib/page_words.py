"""The words of the pages: one table in English and Simplified Chinese, for templates, Swift and scripts.

Words/*.yaml hold it, a file for each part of the service. An entry is a key in camelCase with `en` and `zh`:

    walletTitle: {en: My cards, zh: 我的集点卡}
    stampsLeft: {en: [One stamp to go, "{count} stamps to go"], zh: "还差 {count} 点"}

`{name}` stands for a value. Where English has two forms, the first is for a count of one. Both languages have every key, with the same
values in it; a key that a template or a script uses exists, whether `{{t.walletTitle}}` or `t("walletTitle")`; nothing else is accepted.
"""

import json
import re

from page_assets import HEAD, Wrong

LANGUAGES = {"en": "en", "zh": "zh-Hans"}
KEY = re.compile(r"[a-z][a-zA-Z0-9]*")
VALUE = re.compile(r"\{(\w+)\}")
IN_TEMPLATE = re.compile(r"\{\{[^{}]*\bt\.(\w+)[^{}]*\}\}")
PLAIN_IN_TEMPLATE = re.compile(r"\{\{t\.\w+\}\}")
IN_SCRIPT = re.compile(r"""\bt\(\s*(["'])(\w+)\1""")
# Matches the beginning of a call such as `t(`problem${code}`)` in a script. This call uses every key that begins with `problem`.
BEGUN_IN_SCRIPT = re.compile(r"\bt\(\s*`(\w+)\$\{")


def table(files):
    """Every key with its forms in each language: `{"walletTitle": {"en": ["My cards"], "zh": ["我的集点卡"]}}`."""
    words = {}
    for name, entries in files.items():
        for key, entry in (entries or {}).items():
            place = f"Words/{name}, {key}"
            if not KEY.fullmatch(str(key)):
                raise Wrong(f"{place}: a key is in camelCase")
            if key in words:
                raise Wrong(f"{place}: this key exists twice")
            if not isinstance(entry, dict) or set(entry) != set(LANGUAGES):
                raise Wrong(f"{place}: an entry has en and zh, and nothing else")
            words[key] = {language: forms(entry[language], f"{place}, {language}") for language in LANGUAGES}
            check_values(words[key], place)
    return dict(sorted(words.items()))


def forms(entry, place):
    found = entry if isinstance(entry, list) else [entry]
    if not 1 <= len(found) <= 2 or not all(isinstance(form, str) and form.strip() == form and form for form in found):
        raise Wrong(f"{place}: a text, or one for a count of one and one for others; quote what YAML reads as something else")
    return found


def check_values(entry, place):
    """Requires the same values in all forms of a text. Only the form for a count of one may write the count as a word."""
    last = [set(VALUE.findall(forms[-1])) for forms in entry.values()]
    if last[0] != last[1]:
        raise Wrong(f"{place}: one language has {{{'}, {'.join(sorted(last[0] ^ last[1]))}}} and the other has not")
    for forms_ in entry.values():
        if len(forms_) == 2 and ("count" not in last[0] or set(VALUE.findall(forms_[0])) - last[0]):
            raise Wrong(f"{place}: two forms are for {{count}}")


def used(script, words):
    """The keys that a script uses."""
    keys = {match[1] for match in IN_SCRIPT.findall(script)}
    for beginning in BEGUN_IN_SCRIPT.findall(script):
        begun = {key for key in words if key.startswith(beginning)}
        if not begun:
            raise Wrong(f"a script uses words that begin with {beginning}, and there are none")
        keys |= begun
    return keys


def check(words, templates, scripts):
    for name, text in templates.items():
        for found in IN_TEMPLATE.finditer(text):
            key = found[1]
            if not PLAIN_IN_TEMPLATE.fullmatch(found[0]):
                raise Wrong(f"Templates/{name} uses the word {key} in another form than {{{{t.{key}}}}}, in which it is put in its place")
            if key not in words:
                raise Wrong(f"Templates/{name} uses the word {key}, which no file of Words/ has")
            if any(VALUE.search(form) for forms_ in words[key].values() for form in forms_):
                raise Wrong(f"Templates/{name} uses the word {key}, whose values only Swift can fill in")
    for name, text in scripts.items():
        for key in used(text, words):
            if key not in words:
                raise Wrong(f"Assets/{name} uses the word {key}, which no file of Words/ has")


def modules(words, scripts):
    """A module for each language, with exactly the words that scripts use."""
    keys = sorted(set().union(*(used(text, words) for text in scripts.values())))
    made = {}
    for language, tag in LANGUAGES.items():
        entries = {key: words[key][language] if len(words[key][language]) > 1 else words[key][language][0] for key in keys}
        made[f"words.{tag}.js"] = f"export default {json.dumps(entries, ensure_ascii=False, separators=(',', ':'))};\n".encode()
    return made


def swift(words):
    """The table in Swift: a case for each word, so that a missing word does not compile. The forms are one text for each language,
    because arrays of them took the compiler two minutes."""
    lines = [HEAD + "/// The words of the pages.", "public enum Word: Int, CaseIterable, Sendable {"]
    lines += [f"    case `{key}`" for key in words]
    lines.append("}\n")
    for language, name in (("en", "english"), ("zh", "chinese")):
        lines += ["extension Word {", "    /// A line for each word, in the order of the cases, with its forms between tabs;",
                  "    /// the first of two is for a count of one.", f'    static let {name} = #"""']
        lines += ["\t".join(written(form) for form in entry[language]) for entry in words.values()]
        lines += ['"""#', "}\n"]
    return "\n".join(lines)


def written(form):
    """A form as a part of a line in a Swift text without escapes."""
    if re.search(r'[\t\n\r]|\\#|"""', form) or not form or form != form.strip():
        raise Wrong(
            "a form must be one line that is not empty, without a tab, spaces around it, three quotation marks, or a backslash before #: "
            + repr(form))
    return form
