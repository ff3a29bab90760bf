/// What blanking must give, for `--self-test`: every rule that looks for words stands on it.
enum CodeMaskSamples {
    private static let samples: [(source: String, masked: String)] = [
        ("a // b", "a     "),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("let a = \"b\"", "let a = \" \""),
        ("let a = \"b\\\"c\" + d", "let a = \"    \" + d"),
        ("let a = \"b\\(c(\"d\"))e\" + f", "let a = \" \\(c(\" \")) \" + f"),
        ("let a = #\"b\"c\\#(d)\"# + e", "let a = #\"   \\#(d)\"# + e"),
        ("let a = \"\"\"\n    b \"c\" // d\n    \"\"\"\ne", "let a = \"\"\"\n              \n    \"\"\"\ne"),
    ]

    static func failures() -> [String] {
        samples.compactMap { source, masked in
            let found = CodeMask.masked(source)
            return found == masked ? nil : "code mask: \(source) gives \(found), not \(masked)"
        }
    }
}
