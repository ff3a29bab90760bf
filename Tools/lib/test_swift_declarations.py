"""Tests of the comparison of declarations, which decides when code counts as the same."""

import unittest

import swift_declarations as swift


class DeclarationTests(unittest.TestCase):
    def test_comments_imports_and_layout_do_not_count(self):
        one = '/// A card.\nimport Loyalty\n\nstruct Card {\n    let stamps: Int  // so far\n}\n'
        other = 'public import EventLog\n\n/* a /* nested */ comment */\nstruct Card {\n  let stamps: Int\n\n}'
        self.assertEqual(swift.declarations(one), ["struct Card { let stamps: Int }"])
        self.assertEqual(swift.declarations(one), swift.declarations(other))

    def test_a_comment_mark_in_a_string_is_text(self):
        text = 'let url = "https://a" // end\nlet raw = #"a "// b" \\#(name("}"))"#\n'
        self.assertEqual(swift.declarations(text), ['let url = "https://a"', 'let raw = #"a "// b" \\#(name("}"))"#'])

    def test_brackets_in_strings_open_nothing(self):
        text = 'let a = "{ \\(count("(")) "\nlet b = """\n    }\n    """\nfunc c() {}\n'
        self.assertEqual(len(swift.declarations(text)), 3)

    def test_attributes_belong_to_what_follows(self):
        text = "@available(*, noasync)\n@inlinable\npublic func a() {}\n@main struct B {}\nextension C:\n    D\n{\n}\n"
        self.assertEqual(
            swift.declarations(text), ["@available(*, noasync) @inlinable public func a() {}", "@main struct B {}", "extension C: D { }"])

    def test_moving_a_declaration_is_no_difference(self):
        before = {"A.swift": "struct A {}\n", "B.swift": "struct B {}\n"}
        self.assertEqual(swift.difference(before, {"AB.swift": "struct B {}\n\nstruct A {}\n"}), ([], []))

    def test_a_changed_a_lost_and_a_doubled_declaration_are_named(self):
        before = {"A.swift": "struct A { let x = 1 }\nlet b = 2\nlet c = 3\n"}
        after = {"A.swift": "struct A { let x = 2 }\nlet c = 3\nlet c = 3\n"}
        lost, found = swift.difference(before, after)
        self.assertEqual(lost, [("A.swift", "let b = 2"), ("A.swift", "struct A { let x = 1 }")])
        self.assertEqual(found, [("A.swift", "let c = 3"), ("A.swift", "struct A { let x = 2 }")])

    def test_conditions_around_imports_do_not_count_and_others_do(self):
        imports = "#if canImport(A)\nimport A\n#else\nimport B\n#endif\n"
        self.assertEqual(swift.declarations(imports + "let a = 1\n"), ["let a = 1"])
        self.assertEqual(swift.declarations("#if DEBUG\nlet a = 1\n#endif\n"), ["#if DEBUG", "let a = 1", "#endif"])

    def test_white_space_in_a_string_counts(self):
        self.assertNotEqual(swift.declarations('let a = "x  y"'), swift.declarations('let a = "x y"'))


if __name__ == "__main__":
    unittest.main()
