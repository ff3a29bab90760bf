import Testing

/// Code that the compiler must reject, so that these mistakes cannot occur at run time.
@Suite(.enabled(if: Compiler.isPossible, "needs swiftc in the path and the built module beside the tests"))
struct RejectedTests {
    @Test("Correct use of the storage layer compiles")
    func rightUseCompiles() throws {
        let result = try Compiler.check(Snippet.accepted.code)
        #expect(result.status == 0, "\(result.text)")
    }

    @Test("Unsafe use of a transaction, cursor or span does not compile", arguments: Snippet.rejected)
    func wrongUseDoesNotCompile(snippet: Snippet) throws {
        let result = try Compiler.check(snippet.code)
        #expect(result.status != 0)
        let diagnostic = try #require(snippet.diagnostic)
        let errors = result.text.split(separator: "\n").filter { $0.contains("error:") }
        #expect(errors.contains { $0.contains(diagnostic) }, "\(result.text)")
    }
}
