import Crypto
import EventLog
import Foundation
import Hummingbird
import Loyalty

struct Page<Item: JSONWritable>: JSONRecord {
    let items: [Item]
    /// Nil on the last page.
    let next: String?

    var fields: JSONFields { ["items": items, "next": next] }
}

struct PageRequest: Sendable {
    let limit: Int
    let cursor: String?
}

extension PageRequest {
    init(_ request: Request, limit usual: Int = Limits.pageItemsDefault) throws(Problem) {
        let limit = try request.number("limit", in: Limits.pageItems)
        self.init(limit: limit ?? usual, cursor: request.uri.queryParameters["cursor"].map(String.init))
    }
}

/// A requested page of one list.
struct ListPage: Sendable {
    let limit: Int
    /// The end of the previous page, as the list defines it; nil for the first page.
    let place: UInt128?
    fileprivate let list: String
    fileprivate let seal: CursorSeal

    /// ``place`` of a list in the order of positions.
    var position: Position? { place.map { Position(UInt64(truncatingIfNeeded: $0)) } }

    func answer<Item>(_ items: [Item], next: UInt128?) -> Page<Item> { Page(items: items, next: cursor(next)) }
    func answer<Item>(_ items: [Item], next: Position?) -> Page<Item> { Page(items: items, next: cursor(next)) }

    func cursor(_ place: UInt128?) -> String? { place.map { seal.text($0, in: list) } }
    func cursor(_ position: Position?) -> String? { cursor(position.map { UInt128($0.rawValue) }) }
}

extension Resources {
    /// - Parameter hidden: whether readers may not learn the places in the list's cursors.
    /// - Throws: `invalidRequest` for a cursor that does not belong to this list.
    func page(_ request: PageRequest, of list: String, hidden: Bool = false) throws(Problem) -> ListPage {
        let seal = hidden ? signing.cursors.hiding : signing.cursors
        let place: UInt128? = if let cursor = request.cursor { try seal.place(cursor, in: list) } else { nil }
        return ListPage(limit: request.limit, place: place, list: list, seal: seal)
    }
}

/// Makes and reads cursors: a version, the page's end and a keyed hash, in base64url. An invented, changed or foreign cursor is refused.
/// The key comes from the root secret, so cursors survive restarts.
struct CursorSeal: Sendable {
    private static let version: UInt8 = 1
    private static let sealBytes = 8
    private static let placeBytes = 16

    private let key: SymmetricKey
    private let maskKey: SymmetricKey
    private var hides = false

    init(seed: [UInt8]) {
        let seed = SymmetricKey(data: seed)
        key = HKDF<SHA256>.deriveKey(inputKeyMaterial: seed, info: Array("greentea/v1/cursor".utf8), outputByteCount: 32)
        maskKey = HKDF<SHA256>.deriveKey(inputKeyMaterial: seed, info: Array("greentea/v1/cursor-mask".utf8), outputByteCount: 32)
    }

    /// Makes and reads cursors that do not reveal the page's end.
    var hiding: CursorSeal {
        var seal = self
        seal.hides = true
        return seal
    }

    /// - Parameter list: with its owner; the cursor is valid for this list only.
    func text(_ place: UInt128, in list: String) -> String {
        let bytes = (0..<Self.placeBytes).map { UInt8(truncatingIfNeeded: place >> UInt128(120 - 8 * $0)) }
        let tag = seal(bytes, list)
        let sealed = [Self.version] + masked(bytes, tag, list) + tag
        return Data(sealed).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// - Throws: `invalidRequest` for a text that ``text(_:in:)`` did not make for this list.
    func place(_ text: String, in list: String) throws(Problem) -> UInt128 {
        let count = 1 + Self.placeBytes + Self.sealBytes
        guard text.utf8.count == (count * 4 + 2) / 3, let bytes = decode(text), bytes.count == count, bytes[0] == Self.version else {
            throw .invalid("cursor", .form(.cursor))
        }
        let tag = Array(bytes[(1 + Self.placeBytes)...])
        let place = masked(Array(bytes[1...Self.placeBytes]), tag, list)
        guard tag == seal(place, list), self.text(place.number, in: list) == text else {
            throw .invalid("cursor", .form(.cursor))
        }
        return place.number
    }

    private func decode(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/") + padding
        return Data(base64Encoded: base64).map(Array.init)
    }

    /// Hides a place or, called again, reveals it. The mask depends on the keyed hash, so different places have different masks.
    private func masked(_ place: [UInt8], _ tag: [UInt8], _ list: String) -> [UInt8] {
        guard hides else { return place }
        var hmac = HMAC<SHA256>(key: maskKey)
        hmac.update(data: tag)
        hmac.update(data: Array(list.utf8))
        let mask = Array(hmac.finalize().prefix(Self.placeBytes))
        return zip(place, mask).map { $0 ^ $1 }
    }

    private func seal(_ place: [UInt8], _ list: String) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key)
        hmac.update(data: place)
        hmac.update(data: Array(list.utf8))
        return Array(hmac.finalize().prefix(Self.sealBytes))
    }
}

extension [UInt8] {
    fileprivate var number: UInt128 { reduce(0) { $0 << 8 | UInt128($1) } }
}

extension Array {
    /// The transformed elements, in order. After each turn, this task waits behind all other requests, because reading a hundred things
    /// occupies one of few threads for milliseconds. Turns are measured in time: a list of many quick elements would otherwise wait far
    /// more often than a slow one.
    ///
    /// - Parameter turn: the minimum duration of a turn. Its last element may make it longer.
    func mapInTurns<Value>(
        of turn: Duration = Limits.turn, now: () -> ContinuousClock.Instant = { .now }, _ transform: (Element) throws -> Value
    ) async rethrows -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        var end = now() + turn
        for element in self {
            if !values.isEmpty, now() >= end {
                await Task.yield()
                end = now() + turn
            }
            values.append(try transform(element))
        }
        return values
    }
}
