import Foundation
import Merkle
import Testing

/// The output of this library, verified by a program in another language that shares no code with it.
@Suite(.enabled(if: PythonVerifier.isThere, "there is no python3"))
struct IndependentVerifierTests {
    private let key: String

    init() throws { key = try TestKeys.log().verifierKey.text }

    private func checkTiles(_ tree: StaticTree, _ options: String...) throws -> (status: Int32, text: String) {
        try PythonVerifier.run("tiles", tree.folder.path, "--key", key, options.first ?? "--entries")
    }

    @Test("The independent verifier accepts published trees of many sizes", arguments: [0, 1, 255, 256, 257, 66_000])
    func publishedTreesAreAccepted(_ size: Int) throws {
        let tree = try StaticTree(numberedRecords(size))
        let (status, text) = try checkTiles(tree)
        #expect(status == 0 && text.hasPrefix("verified: \(size) leaves under "), "\(text)")
        #expect(text.hasSuffix(", \(size) entries\n"))
    }

    @Test("The verifier's two implementations of Ed25519 accept and refuse the same checkpoints")
    func bothWaysToVerifyASignatureAgree() throws {
        let tree = try StaticTree(numberedRecords(3))
        #expect(try checkTiles(tree, "--pure").status == 0)
        var bytes = try tree.read("checkpoint")
        bytes[bytes.count - 9] = bytes[bytes.count - 9] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        try tree.write(bytes, to: "checkpoint")
        for option in ["--pure", "--entries"] {
            let (status, text) = try checkTiles(tree, option)
            #expect(status == 1 && text.contains("does not verify"), "\(text)")
        }
    }

    /// One byte in the middle of each file of the tree is changed, to show that every published file is protected.
    @Test(
        "A changed byte in any published file is refused",
        arguments: [
            "checkpoint", "tile/0/000", "tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2", "tile/entries/000", "tile/entries/001",
            "tile/entries/002.p/88",
        ])
    func everyAlteredFileIsRefused(_ path: String) throws {
        let tree = try StaticTree(numberedRecords(600))
        var bytes = try tree.read(path)
        bytes[bytes.count / 2] ^= 1
        try tree.write(bytes, to: path)
        let (status, text) = try checkTiles(tree)
        #expect(status == 1 && text.hasPrefix("REFUSED"), "\(text)")
    }

    @Test("A missing file of any kind is noticed", arguments: ["checkpoint", "tile/0/001", "tile/1/000.p/2", "tile/entries/000"])
    func everyMissingFileIsNoticed(_ path: String) throws {
        let tree = try StaticTree(numberedRecords(600))
        try FileManager.default.removeItem(atPath: tree.path(path))
        #expect(try checkTiles(tree).status == 1)
    }

    @Test("A file among the tiles that is no tile is refused")
    func otherFilesAmongTheTilesAreRefused() throws {
        for path in ["tile/0/x000/001", "tile/0/000.p/0", "tile/9/readme", "tile/00/000"] {
            let tree = try StaticTree(numberedRecords(2))
            try tree.write([1], to: path)
            #expect(try checkTiles(tree).text.contains("is no tile"), "\(path)")
        }
    }

    /// Partial tiles of older checkpoints may remain in the folder. Each must equal the beginning of the full tile.
    @Test("A partial tile of an older checkpoint must equal the beginning of the full one")
    func olderPartialTilesAreCheckedToo() throws {
        let tree = try StaticTree(numberedRecords(100))
        let old = try tree.note().bytes
        try tree.grow(by: numberedRecords(300))
        try tree.write(old, to: "old")
        let continued = try PythonVerifier.run("tiles", tree.folder.path, "--key", key, "--old", tree.path("old"))
        #expect(continued.status == 0, "\(continued.text)")
        var bytes = try tree.read("tile/0/000.p/100")
        bytes[99] ^= 1
        try tree.write(bytes, to: "tile/0/000.p/100")
        #expect(try checkTiles(tree).status == 1)
    }

    @Test("A full tile replaces a missing partial one")
    func theFullTileWillDoForAPartialOne() throws {
        let tree = try StaticTree(numberedRecords(100))
        let checkpoint = try tree.read("checkpoint")
        try tree.grow(by: numberedRecords(200))
        try tree.write(checkpoint, to: "checkpoint")
        try FileManager.default.removeItem(atPath: tree.path("tile/0/000.p/100"))
        #expect(try checkTiles(tree, "--pure").status == 0)
    }

    @Test("A log that rewrote a record does not continue its old checkpoint")
    func aRewrittenLogIsCaught() throws {
        let (tree, other) = (try StaticTree(numberedRecords(50)), try StaticTree([[1]] + numberedRecords(50)))
        let answer = try PythonVerifier.run("tiles", other.folder.path, "--key", key, "--old", tree.path("checkpoint"))
        #expect(answer.status == 1 && answer.text.contains("does not continue"), "\(answer.text)")
    }

    @Test("A tree is refused if the given key has not signed its checkpoint")
    func anotherKeyIsRefused() throws {
        let tree = try StaticTree(numberedRecords(2))
        let other = try TestKeys.log(seed: 2).verifierKey.text
        let answer = try PythonVerifier.run("tiles", tree.folder.path, "--key", other)
        #expect(answer.status == 1 && answer.text.contains("has not signed"), "\(answer.text)")
        #expect(try PythonVerifier.run("tiles", tree.folder.path).status == 2)
    }

    @Test("A receipt is accepted with its own record, and refused with another")
    func receiptsAreAcceptedWithTheirRecordOnly() throws {
        let tree = try StaticTree(numberedRecords(300))
        for (index, record, status) in [(0, 0, 0), (255, 255, 0), (256, 256, 0), (299, 299, 0), (7, 8, 1)] as [(UInt64, Int, Int32)] {
            try tree.write(try tree.receipt(of: index).bytes, to: "receipt")
            try tree.write(Array("record \(record)".utf8), to: "record")
            let answer = try PythonVerifier.run("proof", tree.path("receipt"), "--record", tree.path("record"), "--key", key)
            #expect(answer.status == status, "leaf \(index): \(answer.text)")
        }
    }

    @Test(
        "A receipt with a changed line is refused",
        arguments: [
            ("index 17", "index 18"), ("index 17\n", "index 17\nAAAA\n"), ("proof@v1", "proof@v2"), ("\n300\n", "\n299\n"),
        ])
    func alteredReceiptsAreRefused(_ part: String, _ other: String) throws {
        let tree = try StaticTree(numberedRecords(300))
        let text = String(decoding: try tree.receipt(of: 17).bytes, as: UTF8.self)
        try tree.write(Array(text.replacingOccurrences(of: part, with: other).utf8), to: "receipt")
        try tree.write(Array("record 17".utf8), to: "record")
        #expect(text.contains(part))
        #expect(try PythonVerifier.run("proof", tree.path("receipt"), "--record", tree.path("record"), "--key", key).status == 1)
    }

    @Test("The verifier accepts the stored receipt with its witnesses")
    func theGoldenReceiptIsAccepted() throws {
        let tree = try StaticTree()
        let witnesses = try [1, 2].map { try TestKeys.witness($0).verifierKey.text }
        try tree.write(Array("record 271".utf8), to: "record")
        let answer = try PythonVerifier.run(
            "proof", Fixture.path("record271.tlog-proof"), "--record", tree.path("record"), "--key", key, "--witnesses", "2",
            "--witness", witnesses[0], "--witness", witnesses[1])
        #expect(answer.status == 0, "\(answer.text)")
    }

    @Test("The verifier accepts consistency proofs from trees of many sizes", arguments: [0, 1, 64, 99, 256, 300] as [UInt64])
    func consistencyProofsAreAccepted(_ oldSize: UInt64) throws {
        let tree = try StaticTree(numberedRecords(Int(oldSize)))
        try tree.write(try tree.note().bytes, to: "old")
        try tree.grow(by: (oldSize..<300).map { Array("record \($0)".utf8) })
        var proof = try tree.consistencyLines(from: oldSize)
        for (altered, status) in [(false, 0), (true, 1)] as [(Bool, Int32)] {
            if altered { proof = proof.isEmpty ? try tree.consistencyLines(from: 2) : Array(proof.dropFirst(45)) }
            try tree.write(proof, to: "proof")
            let answer = try PythonVerifier.run(
                "consistency", tree.path("old"), tree.path("checkpoint"), "--proof", tree.path("proof"), "--key", key)
            #expect(answer.status == status, "from \(oldSize): \(answer.text)")
        }
    }
}
