internal import Foundation

/// The records that the recorder `powercut.c`, preloaded into a program, has written, in order.
package struct Journal: Sendable {
    /// The numbers of `enum kind` in `powercut.c`.
    private enum Kind: UInt32 {
        case made = 1
        case wrote, resized, grew, flushed, wroteThrough, folderMade, removed, renamed, mapped, answered, flushFailed
    }

    /// The offsets of the fields in a record's header: u32 kind, u32 length of the path, u64 number, u64 length of the data.
    private enum Offset {
        static let pathBytes = 4
        static let number = 8
        static let dataBytes = 16
        static let end = 24
    }

    /// All records; index 0 is the first.
    package private(set) var records: [JournalRecord] = []

    /// Reads a journal from a file.
    ///
    /// - Throws: if the file cannot be read or is not a journal.
    package init(path: String) throws { try self.init(bytes: [UInt8](Data(contentsOf: URL(filePath: path)))) }

    /// Parses a journal. A truncated record at the end is ignored: the recorded program was killed while writing it.
    ///
    /// - Throws: ``FaultError`` for an unknown kind.
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

    /// Reads a little-endian number, the byte order of all machines on which the recorder runs.
    private static func number(_ bytes: [UInt8], _ at: Int, count: Int) -> Int {
        (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
    }
}
