/// A test that expects nothing proves nothing.
struct TestExpectations: Rule {
    let name = "test-expectation"

    private static let expectations = ["#expect", "#require", "Issue.record", "confirmation(", "expect", ".then"]

    let good = [
        SourceFile(path: "Tests/ATests/A.swift", text: "@Test func a() {\n    #expect(true)\n}\n"),
        SourceFile(path: "Tests/ATests/Support.swift", text: "func help() {}\n"),
    ]
    let bad = [SourceFile(path: "Tests/ATests/A.swift", text: "@Test func a() {\n    // #expect(true)\n}\n")]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Tests/") else { return [] }
        guard let test = file.code.firstIndex(where: { $0.contains("@Test") }) else { return [] }
        let expects = file.code.contains { line in Self.expectations.contains { line.contains($0) } }
        return expects ? [] : [finding(file, line: test + 1, "expect something")]
    }
}
