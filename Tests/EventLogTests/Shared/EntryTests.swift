import Foundation
import LMDB
import Merkle
import SharedLogs
import Testing

@testable import EventLog

/// The bytes of the shared log's heads and entries are permanent: nodes of different versions read each other's. A program that shares no
/// code with this one wrote the golden files.
@Suite struct EntryTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/shared").path

    private func golden(_ name: String) throws -> [UInt8] {
        let text = try String(contentsOfFile: "\(Self.folder)/\(name).hex", encoding: .utf8)
        return try RecordGoldenTests.bytes(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private func sample(_ name: String) throws -> NewEvent { try #require(RecordGoldenTests.cases.first { $0.name == name }).event }

    /// Three events after seven others.
    private func entry() throws -> Entry {
        var edge = TreeEdge()
        var earlier = EncodedBatch(first: Position(1))
        for _ in 1...7 { try earlier.append(sample("empty")) }
        earlier.hash(onto: &edge)
        let before = edge.root
        var batch = EncodedBatch(first: Position(8))
        for name in ["stamp", "payload", "sixteenTags"] { try batch.append(sample(name)) }
        batch.hash(onto: &edge, withRoot: true)
        return Entry(batch, term: 5, before: before, key: .forTests)
    }

    private func head() throws -> Head {
        Head(
            term: 5, writer: try #require(NodeName("node-1")), process: 0x0605_0403_0201, position: Position(10), root: try entry().after)
    }

    @Test("The bytes of an entry are the golden ones, and are read back")
    func entryBytes() throws {
        let entry = try entry()
        #expect(entry.bytes == (try golden("entry")))
        let read = try Entry(golden("entry"), key: .forTests)
        #expect((read.term, read.first, read.last) == (5, Position(8), Position(10)))
        #expect((read.before, read.after) == (entry.before, entry.after))
        for index in 0..<3 { #expect(bytes(of: index, in: read) == bytes(of: index, in: entry)) }
    }

    private func bytes(of index: Int, in entry: Entry) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(copying: entry.batch.record(index))
        return bytes
    }

    @Test("The bytes of a head are the golden ones, and are read back")
    func headBytes() throws {
        #expect(try head().bytes == golden("head"))
        #expect(try Head(golden("head")) == head())
    }

    @Test("An entry with any changed, missing or additional byte is refused")
    func changedEntry() throws {
        let golden = try golden("entry")
        for index in golden.indices {
            var bytes = golden
            bytes[index] ^= 1
            #expect(throws: EventLogError.self, "byte \(index)") { try Entry(bytes, key: .forTests) }
        }
        for count in 0..<golden.count {
            #expect(throws: EventLogError.self, "\(count) bytes") { try Entry(Array(golden.prefix(count)), key: .forTests) }
        }
        #expect(throws: EventLogError.self) { try Entry(golden + [0], key: .forTests) }
    }

    @Test("An entry that was sealed with another secret or for another log is refused")
    func foreignEntry() throws {
        let golden = try golden("entry"), secret = [UInt8](0..<32)
        let others = [
            EntryKey(secret: secret.reversed(), log: "log.example/tea"), EntryKey(secret: secret, log: "log.example/coffee"),
        ]
        for key in others { #expect(code { _ = try Entry(golden, key: key) } == .logMismatch) }
        #expect(code { _ = try Entry(golden, key: EntryKey(secret: secret, log: "log.example/tea")) } == nil)
    }

    @Test("Heads and entries of a later format are refused as such")
    func laterFormat() throws {
        var (head, entry) = (try golden("head"), try golden("entry"))
        (head[0], entry[0]) = (2, 2)
        #expect(code { _ = try Head(head) } == .formatTooNew)
        #expect(code { _ = try Entry(entry, key: .forTests) } == .formatTooNew)
        // Nobody can upgrade to a program that reads these.
        for text in ["rubbish", " ", "{}", "é"] {
            #expect(code { _ = try Head(Array(text.utf8)) } == .logMismatch)
            #expect(code { _ = try Entry(Array(text.utf8), key: .forTests) } == .logMismatch)
        }
    }

    @Test("The error about another head says what is other about it, also where position, term and writer are equal")
    func otherHeads() throws {
        let head = try Head(golden("head"))
        let process = Head(
            term: head.term, writer: head.writer, process: head.process ^ 1, position: head.position, root: head.root)
        let root = Head(term: head.term, writer: head.writer, process: head.process, position: head.position, root: .ofNothing)
        let later = Head(
            term: head.term + 1, writer: head.writer, process: head.process, position: head.position, root: head.root)
        let texts = [process, root, later].map { EventLogError(found: $0, insteadOf: head).detail }
        #expect(
            texts == [
                "the shared log's head is \(head), process \(process.process), not \(head), process \(head.process).",
                "the shared log's head is \(head) with the root \(root.root), not \(head) with the root \(head.root).",
                "the shared log's head is \(later), not \(head).",
            ])
    }

    @Test("Bytes that no head has are refused, so that equal heads have equal bytes")
    func foreignHead() throws {
        let golden = try golden("head")
        var name = golden
        name[1] ^= 1
        #expect(code { _ = try Head(name) } == .logMismatch)
        for (low, high) in [(0, 0), (0, 0x80), (0xFF, 0xFF)] as [(UInt8, UInt8)] {
            var bytes = golden
            bytes.replaceSubrange(8..<16, with: Array(repeating: low, count: 7) + [high])
            #expect(code { _ = try Head(bytes) } == .logMismatch, "after a term such as 2^63, claims would run out")
        }
        for bytes in [[], Array(golden.prefix(56)), golden + [0xFF], golden + Array("A".utf8)] {
            #expect(code { _ = try Head(bytes) } == .logMismatch, "\(bytes.count) bytes")
        }
    }

    @Test(
        "A node's name has 1 to 63 lower-case letters, digits and hyphens",
        arguments: [
            ("a", true), ("node-1", true), (String(repeating: "z", count: 63), true), (String(repeating: "z", count: 64), false),
            ("", false),
            ("A", false), ("a b", false), ("é", false), ("a/b", false),
        ])
    func nodeNames(_ text: String, isName: Bool) { #expect((NodeName(text) != nil) == isName) }
}
