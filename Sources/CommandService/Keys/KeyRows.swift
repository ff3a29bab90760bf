package import EventLog
import LMDB
package import Loyalty
import LoyaltyCodec

/// Another node of the cluster, which sends the keys and pictures that the log does not have.
///
/// Every call may block its thread for some seconds. Any thread may call. A call without an answer throws, and is repeated later.
package protocol NodePeer: Sendable {
    /// Whether the answers come from several nodes, so that a second question can find what the first one has not.
    var isOfSeveral: Bool { get }

    /// The bytes of ``KeyStore/wrappedRows(of:asOf:)`` for exactly these accounts and ``ShopID/keyHolder``s, at most
    /// ``Limits/askedHoldersMax``.
    ///
    /// The peer MUST read its log's head before the rows.
    func rows(of holders: [AccountID]) throws -> [UInt8]

    /// A picture's file, sealed by the peer; nil if the peer has none.
    func picture(_ image: ImageID) throws -> [UInt8]?
}

extension NodePeer {
    package var isOfSeveral: Bool { false }
}

/// The data keys and the phones of some accounts and shops, as one node sends them to another with the same root secret.
///
/// Sealed as a whole, so that none is left out, exchanged or invented on the way:
/// ```
///  0 u8  format = 1     1 u8 whether the sender writes     2 two zeros     4 u32 number of holders     8 u64 position
/// 16 for each holder: u128 id, u8 parts: 1 key, 2 phone, 4 claimed, 8 coming; the wrapped key, 61 bytes; a u128 for each number
/// ```
/// Ids and names of numbers are big-endian, other numbers little-endian.
struct KeyRows {
    struct Rows {
        let holder: AccountID
        /// Nil if the node has none; the holder has no numbers then.
        var key: DataKey?
        var numbers: [(row: KeyStore.Row, name: UInt128)] = []
    }

    /// The node's log had all events through this position before the rows were read.
    let position: Position
    let isOfWriter: Bool
    var rows: [Rows] = []

    private static let purpose = "greentea/v1/key-rows"
    private static let format: UInt8 = 1
    private static let writerAt = 1, countAt = 4, positionAt = 8, rowsAt = 16, idBytes = 16, keyBit: UInt8 = 1

    init(asOf position: Position, isOfWriter: Bool) { (self.position, self.isOfWriter) = (position, isOfWriter) }

    func bytes(_ keys: Keys, nonce: () -> [UInt8]) throws(CodecError) -> [UInt8] {
        var bytes: [UInt8] = [Self.format, isOfWriter ? 1 : 0, 0, 0]
        bytes.append(littleEndian: UInt32(rows.count))
        bytes.append(littleEndian: position.rawValue)
        for row in rows {
            bytes += row.holder.value.bigEndianBytes
            bytes.append(row.numbers.reduce(row.key == nil ? 0 : Self.keyBit) { $0 | Self.bit(of: $1.row) })
            if let key = row.key { bytes += try keys.carry(key, of: row.holder, nonce: nonce()) }
            for number in row.numbers { bytes += number.name.bigEndianBytes }
        }
        return try keys.sealed(bytes, for: Self.purpose, nonce: nonce())
    }

    /// Reads bytes that may come from anywhere.
    ///
    /// - Throws: ``KeyRowsError`` `.notAuthentic`, `.newerFormat`.
    init(_ message: [UInt8], _ keys: Keys) throws {
        guard message.count <= Limits.keyRowsBytesMax, let bytes = keys.opened(message, for: Self.purpose), bytes.count >= Self.rowsAt
        else { throw KeyRowsError.notAuthentic }
        guard bytes[0] == Self.format else { throw KeyRowsError.newerFormat(bytes[0]) }
        position = Position(bytes.span.littleEndian64(at: Self.positionAt))
        isOfWriter = bytes[Self.writerAt] == 1
        var rest = bytes[Self.rowsAt...]
        for _ in 0..<Int(bytes.span.littleEndian32(at: Self.countAt)) {
            let holder = AccountID(try Self.number(&rest))
            var row = Rows(holder: holder)
            guard let parts = rest.popFirst() else { throw KeyRowsError.notAuthentic }
            if parts & Self.keyBit != 0 { row.key = try keys.carried(Self.next(Keys.carriedKeyBytes, of: &rest), of: holder) }
            for kind in KeyStore.Row.numbers where parts & Self.bit(of: kind) != 0 { row.numbers.append((kind, try Self.number(&rest))) }
            rows.append(row)
        }
        if !rest.isEmpty { throw KeyRowsError.notAuthentic }
    }

    private static func bit(of row: KeyStore.Row) -> UInt8 { 1 << (row.rawValue - 1) }

    private static func next(_ count: Int, of rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
        guard rest.count >= count else { throw KeyRowsError.notAuthentic }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) throws -> UInt128 {
        try next(idBytes, of: &rest).reduce(0) { $0 << 8 | UInt128($1) }
    }
}

/// The reason why another node's data key and phones are not stored. Nothing was changed then.
package enum KeyRowsError: Error, Hashable, CustomStringConvertible {
    case notAuthentic
    case newerFormat(UInt8)
    case otherHolders
    case older(Position, than: Position)
    case otherKey(AccountID)
    /// The account has the number by this node's log.
    case takenNumber(AccountID, asOf: Position)
    case olderTerm(UInt64, newest: UInt64)
    case receiverWrites
    case pictureNotAuthentic(ImageID)

    package var description: String {
        switch self {
        case .notAuthentic:
            "foreignRows: the other node's keys were not sealed under this node's root secret, or were changed on the way. Give both "
                + "nodes the keys of one folder, and check that nothing in between changes answers."
        case .newerFormat(let format):
            "newerRows: the other node sends keys in format \(format), which this program does not know. Update this node first."
        case .otherHolders: "otherRows: the other node's keys are not of the accounts that this node has asked for. It asks again."
        case .older(let position, let wanted):
            "olderRows: the other node's keys are as of position \(position), and this node has the log through \(wanted). It asks again."
        case .otherKey(let account):
            "otherKey: the other node has another data key of account \(account.text). Nothing is overwritten. Find out which of both "
                + "folders has the right one (`greentea-audit doctor`), and restore the other's keys from a copy."
        case .takenNumber(let account, let position):
            "takenNumber: by the log, account \(account.text) has a number that the rows as of position \(position) give to another one. "
                + "Wait until this node has these events, and check that only one node writes (`greentea cluster status`)."
        case .olderTerm(let term, let newest):
            "olderTerm: the sender's term \(term) has ended, and term \(newest) writes now. The sender follows after its restart."
        case .receiverWrites: "receiverWrites: this node writes, so it takes no other writer's keys or pictures. Restart the sender."
        case .pictureNotAuthentic(let image):
            "foreignPicture: the other node's file of picture \(image.text) was not sealed under this node's root secret, or is another "
                + "one. Give both nodes the keys of one folder, and check that nothing in between changes answers."
        }
    }
}
