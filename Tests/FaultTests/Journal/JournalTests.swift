import EventLog
import Faults
import Testing

@Suite struct JournalTests {
    /// Returns a record in the format of `powercut.c`.
    private static func record(_ kind: UInt32, _ path: String, number: UInt64 = 0, data: [UInt8] = []) -> [UInt8] {
        func littleEndian(_ value: UInt64, _ count: UInt64) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        return littleEndian(UInt64(kind), 4) + littleEndian(UInt64(path.utf8.count), 4) + littleEndian(number, 8)
            + littleEndian(UInt64(data.count), 8) + Array(path.utf8) + data
    }

    private static let kinds: [([UInt8], JournalRecord)] = [
        (record(1, "log/data.mdb"), .made(path: "log/data.mdb")),
        (record(2, "b", number: 1 << 33, data: [1, 2]), .wrote(path: "b", offset: 1 << 33, bytes: [1, 2])),
        (record(3, "b", number: 7), .resized(path: "b", size: 7)),
        (record(4, "b", number: 8), .grew(path: "b", size: 8)),
        (record(5, "", number: 9), .flushed(path: "", covered: 9)),
        (record(6, "b", number: 10), .wroteThrough(path: "b", number: 10)),
        (record(7, "a"), .folderMade(path: "a")),
        (record(8, "b"), .removed(path: "b")),
        (record(9, "b", data: Array("c/d".utf8)), .renamed(path: "b", new: "c/d")),
        (record(10, "b"), .mapped(path: "b")),
    ]

    @Test("Each kind of record is read from its bytes", arguments: kinds)
    func eachKindOfRecordIsRead(_ bytes: [UInt8], _ expected: JournalRecord) throws {
        #expect(try Journal(bytes: bytes).records == [expected])
    }

    @Test("A record that is cut short at the journal's end is left out")
    func whatIsCutShortAtTheEndIsLeftOut() throws {
        let (first, second) = (Self.record(1, "b"), Self.record(2, "b", data: [1, 2, 3]))
        for cut in 0..<second.count { #expect(try Journal(bytes: first + second.prefix(cut)).records == [.made(path: "b")]) }
        #expect(try Journal(bytes: first + second).records.count == 2)
    }

    @Test("A record of an unknown kind is refused", arguments: [0, 13, UInt32.max])
    func anUnknownKindIsRefused(_ kind: UInt32) {
        #expect(throws: FaultError.self) { try Journal(bytes: Self.record(kind, "b")) }
    }

    @Test("The journal knows the last acknowledgement before each record")
    func whatWasAcknowledgedIsKnownAtEachMoment() throws {
        let said = [3, 8].map { Acknowledgement(head: Position($0), digest: $0 * 77) }
        let lines = said.map { Self.record(2, Acknowledgement.fileName, data: Array($0.line.utf8)) }
        let journal = try Journal(bytes: Self.record(1, "b") + lines[0] + Self.record(5, "b") + lines[1])
        #expect((0...4).map { journal.acknowledged(within: $0) } == [nil, nil, said[0], said[0], said[1]])
        #expect(journal.acknowledgementEnds == [2, 4])
    }

    @Test("A malformed line is no acknowledgement", arguments: ["", "3", "3 4d", "3 4d ", "x 4d .", "3 zz .", "3 4d . ."])
    func halfALineIsNoAcknowledgement(_ line: String) {
        #expect(Acknowledgement(line: line) == nil)
    }

    @Test("The last complete line is the acknowledgement")
    func theLastWholeLineCounts() {
        let said = Acknowledgement(head: Position(9), digest: .max)
        #expect(Acknowledgement.last(in: Array((said.line + "12 ab").utf8)) == said)
        #expect(Acknowledgement.last(in: []) == nil)
    }

    @Test("Random cuts are ordered and repeatable, and often come right after an acknowledgement or a flush")
    func randomCutsComeInOrderAndOftenRightAfterAnAcknowledgement() throws {
        let line = Self.record(2, Acknowledgement.fileName, data: Array(Acknowledgement(head: Position(1), digest: 0).line.utf8))
        let filler = (0..<500).flatMap { _ in Self.record(1, "b") }
        let journal = try Journal(bytes: filler + line + filler + Self.record(5, "data.mdb") + Self.record(5, "state") + filler)
        let cuts = Cut.random(100, of: journal, seed: 4)
        #expect(cuts == cuts.sorted { $0.records < $1.records } && cuts == Cut.random(100, of: journal, seed: 4))
        #expect(cuts.count { $0.records == 501 } >= 33 && cuts.count { $0.records == 1_003 } >= 33)
        #expect(Set(cuts.map(\.records)).count > 20)
        #expect(Set(cuts.map(\.seed)).count == 100)
        #expect(Set(Cut.creation(2, of: journal, seed: 4).map(\.records)) == Set(0...501))
    }
}
