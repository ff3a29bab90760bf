internal import Foundation

/// What the preloaded `powercut.c` has recorded, in order.
package struct Journal: Sendable {
    /// The numbers that `enum kind` of `powercut.c` gives.
    private enum Kind: UInt32 {
        case made = 1
        case wrote, resized, grew, flushed, wroteThrough, folderMade, removed, renamed, mapped, answered, flushFailed
    }

    /// Where a head keeps what, and its length: u32 kind, u32 bytes of the path, u64 number, u64 bytes of the data.
    private enum Offset {
        static let pathBytes = 4
        static let number = 8
        static let dataBytes = 16
        static let end = 24
    }

    /// Every record, the first at 0.
    package private(set) var records: [JournalRecord] = []

    /// A journal from its file.
    ///
    /// - Throws: when the file cannot be read or is no journal.
    package init(path: String) throws { try self.init(bytes: [UInt8](Data(contentsOf: URL(filePath: path)))) }

    /// A journal from its bytes. A record that is cut short at the end is left out: its program was killed.
    ///
    /// - Throws: ``FaultError`` for a kind that there is not.
    package init(bytes: [UInt8]) throws(FaultError) {
        var at = 0
        while at + Offset.end <= bytes.count {
            let pathAt = at + Offset.end
            let dataAt = pathAt + Self.number(bytes, at + Offset.pathBytes, count: 4)
            let end = dataAt + Self.number(bytes, at + Offset.dataBytes, count: 8)
            if end > bytes.count { break }
            let path = String(decoding: bytes[pathAt..<dataAt], as: UTF8.self)
            let kind = Self.number(bytes, at, count: 4), number = Self.number(bytes, at + Offset.number, count: 8)
            records.append(try Self.record(kind, path, number, bytes[dataAt..<end]))
            at = end
        }
    }

    private static func record(
        _ kind: Int, _ path: String, _ number: Int, _ data: ArraySlice<UInt8>
    ) throws(FaultError) -> JournalRecord {
        switch UInt32(exactly: kind).flatMap(Kind.init(rawValue:)) {
        case .made: .made(path: path)
        case .wrote: .wrote(path: path, offset: number, bytes: Array(data))
        case .resized: .resized(path: path, size: number)
        case .grew: .grew(path: path, size: number)
        case .flushed: .flushed(path: path, covered: number)
        case .wroteThrough: .wroteThrough(path: path, number: number)
        case .folderMade: .folderMade(path: path)
        case .removed: .removed(path: path)
        case .renamed: .renamed(path: path, new: String(decoding: data, as: UTF8.self))
        case .mapped: .mapped(path: path)
        case .answered: .answered(bytes: Array(data))
        case .flushFailed: .flushFailed(path: path, covered: number)
        case nil: throw FaultError("a journal has no record of kind \(kind)")
        }
    }

    /// Little-endian, as all machines are that this runs on.
    private static func number(_ bytes: [UInt8], _ at: Int, count: Int) -> Int {
        (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
    }
}
