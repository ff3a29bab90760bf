internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

/// The lines of the JSON form, one way and the other.
enum TransferLines {
    /// A line of the form.
    enum Line {
        case head(TransferHead)
        case record(position: UInt64, [UInt8])
        case root(through: UInt64, String)
    }

    static func line(_ head: TransferHead) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let origin = (try? encoder.encode(head.origin)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
        return Array(
            #"{"format":"\#(TransferFormat.jsonName)","version":1,"after":\#(head.after),"count":\#(head.count),"origin":\#(origin)}"#.utf8
        ) + [UInt8(ascii: "\n")]
    }

    static func line(root: NodeHash, through position: Position) -> [UInt8] {
        Array(#"{"through":\#(position),"root":"\#(root.hex)"}"#.utf8) + [UInt8(ascii: "\n")]
    }

    /// What can be said of the event, and its bytes; where this program does not know its type, the bytes alone.
    static func line(_ record: borrowing Record, at position: Position) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(copying: record.bytes)
        let fields = (try? LoyaltyCodec.decode(record, at: position)).map { FactText.json($0).dropLast() } ?? #"{"position":\#(position)"#
        return Array((fields + #","record":"\#(Data(bytes).base64EncodedString())"}"#).utf8) + [UInt8(ascii: "\n")]
    }

    /// - Returns: nil for what is no line of the form.
    static func parse(_ line: [UInt8]) -> Line? {
        guard let members = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any] else { return nil }
        if let record = members["record"] as? String, let position = number(members["position"]) {
            return Data(base64Encoded: record).map { .record(position: position, [UInt8]($0)) }
        }
        if let root = members["root"] as? String, let through = number(members["through"]) { return .root(through: through, root) }
        guard members["format"] as? String == TransferFormat.jsonName, number(members["version"]) == UInt64(TransferFormat.version),
            let after = number(members["after"]), let count = number(members["count"])
        else { return nil }
        return .head(TransferHead(after: after, count: count, origin: members["origin"] as? String ?? ""))
    }

    private static func number(_ value: Any?) -> UInt64? { (value as? NSNumber)?.uint64Value }
}
