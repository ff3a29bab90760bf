import Merkle
import Testing

/// Valid and invalid names of logs.
@Suite struct OriginTests {
    @Test(
        "A name like a URL without a scheme names a log, a key and a checkpoint",
        arguments: ["tea.example/log", "a", "tea.example:8443/log/1", "绿茶.example", "greentea.invalid/log/1700000000000000"])
    func aLogMayBeCalled(_ name: String) throws {
        #expect(Checkpoint.isOrigin(name))
        _ = try VerifierKey(name: name, kind: .ed25519, publicKey: [UInt8](repeating: 1, count: 32))
        _ = try Checkpoint(origin: name, size: 0, root: TreeHasher.emptyRoot)
    }

    @Test(
        "A name with a space, a plus sign, a scheme, a trailing slash or 256 characters names no log",
        arguments: [
            "", " ", "a b", "a+b", "a\n", "a\tb", "tea.example/", "/", "https://tea.example", "a\u{A0}b", "a\0",
            String(repeating: "a", count: 256),
        ])
    func aLogMayNotBeCalled(_ name: String) {
        #expect(!Checkpoint.isOrigin(name))
    }
}
