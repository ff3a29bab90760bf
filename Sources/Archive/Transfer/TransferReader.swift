internal import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

/// Reads an export of either format in batches. A stated length reserves no memory until the bytes arrive, because it may be wrong.
struct TransferReader {
    /// The records of one batch, and the root after it in hexadecimal digits.
    struct Batch {
        var records: [[UInt8]] = []
        var root = ""
        var first: UInt64?
        /// Indices of records that were salvaged without proof.
        var unproved: Set<Int> = []
    }

    /// A line has a record as base64 and as fields.
    private static let lineBytesMax = 1 << 20

    private let read: (Int) throws -> [UInt8]
    private var buffer: [UInt8] = []
    private var start = 0
    /// For error texts.
    private var offset = 0
    private var line = 0
    private(set) var format = TransferFormat.binary
    private(set) var head = TransferHead(after: 0, count: 0, origin: "")
    /// The end of the importing log; nil if the events are only read.
    var imported: UInt64?
    /// The head of a salvaged file's next section, once ``next()`` has reached it.
    private var following: TransferHead?

    /// - Parameter read: returns at most the requested number of the next bytes; none at the end.
    /// - Throws: ``AuditError/Code/input``.
    init(_ read: @escaping (Int) throws -> [UInt8]) throws {
        self.read = read
        try fill(TransferFormat.magic.count)
        if buffer[start...].starts(with: TransferFormat.magic) {
            try readBinaryHead()
        } else {
            format = .jsonl
            try readHeadLine()
        }
    }

    /// The next batch; nil at the end of the export, or of a salvaged file's section.
    ///
    /// - Throws: ``AuditError/Code/input``, with the line or the byte offset.
    mutating func next() throws -> Batch? { format == .binary ? try nextBinary() : try nextLines() }

    /// Moves to a salvaged file's next section; returns false if there is none.
    mutating func nextSection() -> Bool {
        guard let following else { return false }
        (head, self.following) = (following, nil)
        return true
    }

    /// Names the line or byte that was read last.
    func wrong(_ what: String) -> AuditError {
        let place = format == .jsonl ? "line \(line)" : "byte \(offset)"
        guard let imported else { return AuditError(.input, "\(place): \(what).", remedy: "Export it again.") }
        return AuditError(
            .input, "\(place): \(what); the log ends at position \(imported), with a whole batch of \(TransferFormat.batchEvents).",
            remedy: "What was imported is whole. Export what follows again, with --after \(imported).")
    }

    private mutating func readHeadLine() throws {
        if let bytes = try nextLine(), case .head(let found)? = TransferLines.parse(bytes) {
            head = found
        } else {
            throw wrong("no head of this form")
        }
    }

    private mutating func readBinaryHead() throws {
        _ = try take(TransferFormat.magic.count)
        guard try number(2) == Int(TransferFormat.version) else { throw wrong("another version of the form") }
        let name = try take(try number(2))
        guard let origin = String(validating: name, as: UTF8.self) else { throw wrong("the log's name is not UTF-8") }
        let (after, count) = (try number(8), try number(8))
        head = TransferHead(after: UInt64(after), count: UInt64(count), origin: origin)
    }

    private mutating func nextBinary() throws -> Batch? {
        let count = try number(4)
        if count == 0 { return nil }
        guard count <= TransferFormat.batchEvents else { throw wrong("a batch of \(count) events") }
        var batch = Batch()
        for _ in 0..<count { batch.records.append(try take(try number(2))) }
        batch.root = NodeHash(try take(NodeHash.byteCount))?.hex ?? ""
        return batch
    }

    private mutating func nextLines() throws -> Batch? {
        var batch = Batch()
        while let bytes = try nextLine() {
            switch TransferLines.parse(bytes) {
            case .record(let position, let record, let isProved)?:
                batch.first = batch.first ?? position
                if !isProved { batch.unproved.insert(batch.records.count) }
                batch.records.append(record)
            case .root(_, let root)?:
                batch.root = root
                return batch
            case .head(let head)? where head.salvaged != nil && batch.records.isEmpty:
                following = head
                return nil
            default: throw wrong("neither an event with its record nor a root")
            }
            if batch.records.count > TransferFormat.batchEvents { throw wrong("no root behind so many events") }
        }
        if !batch.records.isEmpty { throw wrong("the file ends without a root") }
        return nil
    }

    /// Refuses a number that does not fit into `Int`, because no log has so many events or bytes.
    private mutating func number(_ count: Int) throws -> Int {
        let number = try take(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number) else { throw wrong("the number \(number)") }
        return number
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        try fill(count)
        guard buffer.count - start >= count else { throw wrong("the file ends here, and \(count) bytes are missing") }
        let bytes = Array(buffer[start..<start + count])
        start += count
        offset += count
        return bytes
    }

    private mutating func nextLine() throws -> [UInt8]? {
        var searched = 0
        while true {
            if let length = buffer[(start + searched)...].firstIndex(of: UInt8(ascii: "\n")).map({ $0 - start }) {
                let bytes = Array(buffer[start..<start + length])
                start += length + 1
                line += 1
                return bytes
            }
            searched = buffer.count - start
            if searched >= Self.lineBytesMax { throw wrong("a line of more than \(Self.lineBytesMax) bytes") }
            try fill(searched + 1)
            if buffer.count - start > searched { continue }
            if searched > 0 { throw wrong("the file ends within a line") }
            return nil
        }
    }

    private mutating func fill(_ count: Int) throws {
        guard buffer.count - start < count else { return }
        buffer.removeFirst(start)
        start = 0
        while buffer.count < count {
            let more = try read(1 << 16)
            if more.isEmpty { return }
            buffer += more
        }
    }
}

/// Writes and reads the lines of the JSON format.
enum TransferLines {
    enum Line {
        case head(TransferHead)
        case record(position: UInt64, [UInt8], isProved: Bool)
        case root(through: UInt64, String)
    }

    static func line(_ head: TransferHead) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let origin = (try? encoder.encode(head.origin)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
        let salvaged = head.salvaged.map { #","salvaged":\#($0)"# } ?? ""
        let positions = #""after":\#(head.after),"count":\#(head.count)"#
        let line = #"{"format":"\#(TransferFormat.jsonName)","version":1,\#(positions),"origin":\#(origin)\#(salvaged)}"#
        return Array(line.utf8) + [UInt8(ascii: "\n")]
    }

    static func line(root: NodeHash, through position: Position) -> [UInt8] {
        Array(#"{"through":\#(position),"root":"\#(root.hex)"}"#.utf8) + [UInt8(ascii: "\n")]
    }

    /// Only position and bytes if this program cannot decode the event.
    static func line(_ record: borrowing Record, at position: Position, isProved: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(copying: record.bytes)
        let fields = (try? LoyaltyCodec.decode(record, at: position)).map { FactText.json($0).dropLast() } ?? #"{"position":\#(position)"#
        let proof = isProved ? "" : #","unproved":true"#
        return Array((fields + #","record":"\#(Data(bytes).base64EncodedString())"\#(proof)}"#).utf8) + [UInt8(ascii: "\n")]
    }

    /// Nil if the bytes are not a line of the format.
    static func parse(_ line: [UInt8]) -> Line? {
        guard let members = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any] else { return nil }
        if let record = members["record"] as? String, let position = number(members["position"]) {
            let isProved = members["unproved"] as? Bool != true
            return Data(base64Encoded: record).map { .record(position: position, [UInt8]($0), isProved: isProved) }
        }
        if let root = members["root"] as? String, let through = number(members["through"]) { return .root(through: through, root) }
        guard members["format"] as? String == TransferFormat.jsonName, number(members["version"]) == UInt64(TransferFormat.version),
            let after = number(members["after"]), let count = number(members["count"])
        else { return nil }
        let origin = members["origin"] as? String ?? ""
        return .head(TransferHead(after: after, count: count, origin: origin, salvaged: number(members["salvaged"])))
    }

    private static func number(_ value: Any?) -> UInt64? { (value as? NSNumber)?.uint64Value }
}
