import EventLog
import LMDB
import Loyalty
import LoyaltyCodec

@testable import Projections
@testable import ReadModels

/// A schema version of the small test model. The second version counts each stamp twice.
///
/// - Note: `Version` is a type, so that one program can contain the code of all versions.
protocol SmallVersion: Sendable {
    static var number: Int { get }
    static var compatible: Set<Int> { get }
    static var weight: UInt64 { get }
    /// The model refuses events up to this position; 0 refuses none.
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

/// A version that can read and continue the rows of the first version.
enum SecondVersion: SmallVersion {
    static let number = 2
    static let compatible: Set<Int> = [1]
    static let weight: UInt64 = 2
}

/// A version that can read and continue the rows of the first version. A build of it fails, because it refuses the first events.
enum RefusingVersion: SmallVersion {
    static let number = 4
    static let compatible: Set<Int> = [1]
    static let weight: UInt64 = 1
    static let refusedThrough: UInt64 = 300
}

/// A version that cannot read the rows of the first version.
enum StrangeVersion: SmallVersion {
    static let number = 3
    static let compatible: Set<Int> = []
    static let weight: UInt64 = 3
}

/// Counts the stamp events of each account. Each event adds the weight of the version.
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

    /// Returns the sum of all counts.
    func total() throws -> UInt64 {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(counts)
        var total: UInt64 = 0
        while try cursor.next() { total += cursor.value.littleEndian64(at: 0) }
        return total
    }
}
