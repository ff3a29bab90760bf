import EventLog
import LMDB
import Loyalty
import LoyaltyCodec

@testable import Projections
@testable import ReadModels

/// A model of two tables that only tests have, in two schema versions: the second counts stamps twice.
///
/// - Note: `Version` is a type so that one program can hold the code of both.
protocol SmallVersion: Sendable {
    static var number: Int { get }
    static var compatible: Set<Int> { get }
    static var weight: UInt64 { get }
    /// Events that it refuses: up to this position; none unless a version says otherwise.
    static var refusedThrough: UInt64 { get }
}

extension SmallVersion {
    static var refusedThrough: UInt64 { 0 }
}

enum FirstVersion: SmallVersion {
    static let number = 1
    static let compatible: Set<Int> = []
    static let weight: UInt64 = 1
}

/// Reads and follows rows of the first.
enum SecondVersion: SmallVersion {
    static let number = 2
    static let compatible: Set<Int> = [1]
    static let weight: UInt64 = 2
}

/// Reads and follows them too, but cannot be built: it refuses what happened at first.
enum RefusingVersion: SmallVersion {
    static let number = 4
    static let compatible: Set<Int> = [1]
    static let weight: UInt64 = 1
    static let refusedThrough: UInt64 = 300
}

/// Does not.
enum StrangeVersion: SmallVersion {
    static let number = 3
    static let compatible: Set<Int> = []
    static let weight: UInt64 = 3
}

/// Account → so many events of it, times the version's weight.
final class SmallModel<Version: SmallVersion>: ReadModel {
    static var name: String { "small" }
    static var schemaVersion: Int { Version.number }
    static var compatibleVersions: Set<Int> { Version.compatible }
    static var eventTypes: Set<EventType> { [.cardStamped] }
    static var tables: [ModelTable] { [ModelTable("counts", key: [.account]) { _ in nil }] }

    let store: ModelStore
    private let counts: Table

    init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        counts = try store.table(Self.tables[0])
    }

    func makePending(cachedMax: Int) -> [UInt128: UInt64] { [:] }

    func changes(in pending: borrowing [UInt128: UInt64]) -> Int { pending.count }

    @available(*, noasync)
    func apply(_ fact: Fact, to pending: inout [UInt128: UInt64], in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard case .cardStamped(let stamp) = fact.event else { return }
        if fact.position <= Version.refusedThrough { throw ReadModelError(.eventRefused, model: Self.name, "refused by a test") }
        pending[stamp.holder.value, default: 0] += Version.weight
    }

    @available(*, noasync)
    func flush(_ pending: inout [UInt128: UInt64], in transaction: inout WriteTransaction) throws(ReadModelError) {
        for (account, more) in pending {
            let known = try store.value(counts, RowKey(account), in: transaction) { (row) throws(ReadModelError) in
                row.littleEndian64(at: 0)
            }
            var row: [UInt8] = []
            row.append(littleEndian: (known ?? 0) + more)
            try store.put(counts, RowKey(account), row.span, in: &transaction)
        }
        pending.removeAll()
    }

    /// All counts together.
    func total() throws -> UInt64 {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(counts)
        var total: UInt64 = 0
        while try cursor.next() { total += cursor.value.littleEndian64(at: 0) }
        return total
    }
}
