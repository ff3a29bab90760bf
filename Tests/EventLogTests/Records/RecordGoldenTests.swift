import EventLog
import Foundation
import Testing

/// The format of records is permanent: every version must write and read each of these files in the same way.
///
/// `GREENTEA_RECORD=1 swift test --filter RecordGolden` writes missing files; it never changes an existing one.
@Suite struct RecordGoldenTests {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/records").path

    static let cases: [(name: String, event: NewEvent)] = [
        ("empty", NewEvent(type: EventType(0), schemaVersion: 0, time: Timestamp(microseconds: 0))),
        (
            "stamp",
            NewEvent(
                type: EventType(41), schemaVersion: 1, time: Timestamp(microseconds: 1_700_000_000_123_456),
                actor: 0x018B_CFE5_687B_7000_8000_0000_0000_0001,
                tags: [Tag(TagKind(5), 0x018B_CFE5_687B_7000_8000_0000_0000_0003), Tag(TagKind(4), 7), Tag(TagKind(12), .max)])
        ),
        ("payload", NewEvent(type: EventType(10), schemaVersion: 2, time: Timestamp(microseconds: 1), payload: Array("奶茶".utf8))),
        ("before1970", NewEvent(type: EventType(65_535), schemaVersion: 65_535, time: Timestamp(microseconds: .min), actor: .max)),
        (
            "sixteenTags",
            NewEvent(
                type: EventType(1), time: Timestamp(microseconds: 2), tags: (1...16).reversed().map { Tag(TagKind($0 * 15), UInt128($0)) },
                payload: [0, 255])
        ),
        ("repeatedTag", NewEvent(type: EventType(1), time: Timestamp(microseconds: 3), tags: [card(2), card(1), card(2), card(1)])),
    ]

    @Test("The stored bytes of each sample event are the ones that are made today", arguments: cases.map(\.name))
    func bytesStayAsTheyAre(_ name: String) throws {
        let event = try #require(Self.cases.first { $0.name == name }).event
        var bytes: [UInt8] = []
        try RecordEncoder.append(event, to: &bytes)
        let path = Self.folder + "/" + name + ".hex"
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1", !FileManager.default.fileExists(atPath: path) {
            try (Self.hex(bytes) + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        let golden = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(Self.hex(bytes) == golden)
        let decoded = try #require(owned(try Self.bytes(golden)))
        #expect(decoded == event.normalized)
    }

    /// The test writes the bytes by hand, from the layout in the design. If it used the encoder, an error that the encoder and the decoder
    /// share would stay hidden.
    @Test("Each field of a record is where the layout says")
    func everyFieldStandsWhereTheLayoutSaysSo() throws {
        let bytes: [UInt8] =
            [1, 1, 0x29, 0x00, 0x02, 0x01, 0, 0] + [0x40, 0x42, 0x0F, 0, 0, 0, 0, 0] + [0xAA] + [UInt8](repeating: 0, count: 15)
            + [5, 0x0B] + [UInt8](repeating: 0, count: 15) + [0x68, 0x69]
        #expect(
            owned(bytes)
                == NewEvent(
                    type: EventType(41), schemaVersion: 0x0102, time: Timestamp(microseconds: 1_000_000), actor: 0xAA,
                    tags: [Tag(TagKind(5), 0x0B)], payload: Array("hi".utf8)))
    }

    static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", Int($0)) }.joined() }

    static func bytes(_ hex: String) throws -> [UInt8] {
        let digits = Array(hex)
        return try stride(from: 0, to: digits.count, by: 2).map { try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16)) }
    }
}

/// A copy of the event in a record; nil if the bytes are not a record.
func owned(_ bytes: [UInt8]) -> NewEvent? {
    guard let record = Record(bytes.span) else { return nil }
    return record.event
}

extension NewEvent {
    /// The event as it is read from a record: with sorted tags and no duplicates.
    var normalized: NewEvent {
        var event = self
        event.tags = Set(tags).sorted()
        return event
    }
}
