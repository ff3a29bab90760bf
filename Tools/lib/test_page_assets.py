"""Tests of the pages' sources: addresses made from content, and words in every language."""

import unittest

import page_assets
import page_words
from page_assets import Wrong


class AssetTests(unittest.TestCase):
    def test_a_change_reaches_everything_that_uses_it(self):
        def made(deepest):
            return page_assets.resolve({
                "wallet.js": b'import { get } from "./api.js";\nget("asset:icons.svg");\n', "api.js": b'import "./base.js";\n',
                "base.js": deepest, "icons.svg": b"<svg/>", "style.css": b"a{}"})

        before, after = made(b"1;\n"), made(b"2;\n")
        for name in ("wallet.js", "api.js", "base.js"):
            self.assertNotEqual(before[name].path, after[name].path, name)
        for name in ("icons.svg", "style.css"):
            self.assertEqual(before[name].path, after[name].path, name)
        text = after["wallet.js"].content.decode()
        self.assertIn(f'from "{after["api.js"].path}"', text)
        self.assertIn(f'get("{after["icons.svg"].path}")', text)
        self.assertEqual(page_assets.needed("wallet.js", after), ["base.js", "api.js"])
        self.assertIn(f'imported: [String]', page_assets.swift(after))

    def test_browsers_get_no_comments_and_the_same_lines(self):
        for script, expected in ((b"// a\nlet b; // c\n", b"\nlet b; // c\n"), (b"/** a\n * b\n */\nc();\n", b"\n\n\nc();\n"),
                                 (b"  /** @type {any} */ (a).b = 1;\n", b"  /** @type {any} */ (a).b = 1;\n"),
                                 (b"a(`//${b}`);\n", b"a(`//${b}`);\n"), (b"/* @preserve a */\nb();\n", b"/* @preserve a */\nb();\n"),
                                 (b"/** a */ b(); /* c */\nd(); /* e\n */\n", b"/** a */ b(); /* c */\nd(); /* e\n */\n")):
            self.assertEqual(page_assets.resolve({"a.js": script})["a.js"].content, expected)

    def test_dynamic_imports_get_addresses_and_are_not_fetched_ahead(self):
        assets = page_assets.resolve({"a.js": b'const m = await import("./b.js");\n', "b.js": b"export {};\n"})
        self.assertIn(assets["b.js"].path.encode(), assets["a.js"].content)
        self.assertEqual(page_assets.needed("a.js", assets), [])

    def test_leaflet_asks_for_no_other_file(self):
        script = "var a=\"data:image/gif;base64,R0l+/=\";t.innerHTML=a;export{a};\n//# sourceMappingURL=leaflet.esm.min.js.map"
        style = ".a{behavior:url(#default#VML);color:red}.b{background-image:url(images/layers.png);width:1px}\n/*# sourceMappingURL=x */"
        made = page_assets.leaflet(script, style)
        self.assertEqual(made["leaflet.js"], b'var a="asset:empty.svg";t.innerHTML=a;export{a};')
        self.assertEqual(made["leaflet.css"], b".a{color:red}.b{background-image:none;width:1px}")
        for other in (("export{a};", style), ("t.innerHTML=1", style), (script, "a{background:url(x.png)}"),
                      (script.replace("gif", "png"), style)):
            with self.assertRaises(Wrong):
                page_assets.leaflet(*other)

    def test_fixed_addresses(self):
        assets = page_assets.resolve({"sw.js": b'"asset:a.css"', "a.css": b"a{}"})
        self.assertEqual(assets["sw.js"].path, "/sw.js")
        self.assertIn(b"/assets/a.", assets["sw.js"].content)

    def test_what_is_refused(self):
        for sources in (
                {"a.js": b'import "./b.js";', "b.js": b'import "./a.js";'}, {"a.js": b'import "./gone.js";'},
                {"a.css": b"url(asset:gone.svg)"}, {"a.exe": b""}, {"../a.js": b""}, {"A.js": b""}):
            with self.assertRaises(Wrong, msg=sources):
                page_assets.resolve(sources)
        for text in ("{{{title}}}", "{{& title}}", "<a onclick=go()>", "<p style='x'>", "<script>go()</script>", "asset:gone.css"):
            with self.assertRaises(Wrong, msg=text):
                page_assets.swift_templates({"a.mustache": text}, {})


class WordTests(unittest.TestCase):
    TABLE = {"a.yaml": {
        "hello": {"en": "Hello", "zh": "你好"}, "left": {"en": ["One left", "{count} left"], "zh": "还剩 {count}"},
        "problemOne": {"en": "1", "zh": "一"}, "unused": {"en": "x", "zh": "y"}}}

    def test_scripts_get_what_they_use_and_nothing_else(self):
        words = page_words.table(self.TABLE)
        scripts = {"a.js": 't("hello"); t(`problem${code}`); const set = get("unused");'}
        page_words.check(words, {"a.mustache": "{{t.hello}}"}, scripts)
        modules = page_words.modules(words, scripts)
        self.assertEqual(modules["words.en.js"].decode(), 'export default {"hello":"Hello","problemOne":"1"};\n')
        self.assertEqual(modules["words.zh-Hans.js"].decode(), 'export default {"hello":"你好","problemOne":"一"};\n')

    def test_what_is_refused(self):
        for entry in (
                {"en": "Hello"}, {"en": "Hello", "zh": ""}, {"en": "Hello {name}", "zh": "你好"}, {"en": ["One", "Many"], "zh": "多"},
                {"en": "Hello", "zh": "你好", "de": "Hallo"}, {"en": 1, "zh": "一"}, "Hello"):
            with self.assertRaises(Wrong, msg=entry):
                page_words.table({"a.yaml": {"hello": entry}})
        with self.assertRaises(Wrong):
            page_words.table({"a.yaml": self.TABLE["a.yaml"], "b.yaml": {"hello": {"en": "Hi", "zh": "嗨"}}})
        words = page_words.table(self.TABLE)
        for templates, scripts in (
                ({"a.mustache": "{{t.gone}}"}, {}), ({"a.mustache": "{{#t.hello}}x{{/t.hello}}"}, {}),
                ({"a.mustache": "{{ t.hello }}"}, {}), ({"a.mustache": "{{t.left}}"}, {}), ({}, {"a.js": 't("gone")'}),
                ({}, {"a.js": "t(`gone${code}`)"})):
            with self.assertRaises(Wrong, msg=(templates, scripts)):
                page_words.check(words, templates, scripts)


if __name__ == "__main__":
    unittest.main()
