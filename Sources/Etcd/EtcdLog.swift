package import EventLog
internal import Foundation
internal import NIOCore
internal import Synchronization

/// A shared log in etcd, by its v3 API.
///
/// Below `/greentea/LOG/`, the key `head` has the newest head, `batch/FIRST POSITION` an entry, `writer` the process that writes,
/// `node/NAME` what a node tells, and `wish` the node that shall write. The last three live as long as their leases. Only bytes are
/// compared, never revisions, which begin anew in a restored etcd.
package final class EtcdLog: SharedLog {
    /// Entries of 128 kB come in time over a slow line.
    private static let entriesMax = 8
    /// How many entries are asked for follows from their usual size.
    private static let entryBytes = 16 << 10

    let gateway: Gateway
    let name: String
    let keys: LogKeys
    /// The value of the key `writer` while this process is the writer. Two nodes with one name have two.
    let writer: Data
    /// The lease of the last beat; nil before the first.
    let lease = Mutex<String?>(nil)
    /// The most entries of the next request: one after a failure, then more with each answer.
    private let pageMax = Atomic(entriesMax)

    /// Creates a log without any request.
    ///
    /// - Parameters:
    ///   - log: its name, the same for all nodes.
    ///   - process: as in ``NodeNote/process``.
    package init(_ settings: EtcdSettings, log: String, node: NodeName, process: UInt64) {
        (gateway, name, keys, writer) = (Gateway(settings), log, LogKeys(log: log), Data("\(node) \(process)".utf8))
    }

    package func head() throws(EventLogError) -> Head? {
        try ask("/v3/kv/range", RangeRequest(key: keys.head), .repeatable).head()
    }

    package func append(_ entry: Entry, replacing old: Head) throws(EventLogError) -> SharedLogAnswer {
        let new = old.advanced(by: entry)
        let transaction = Transaction(
            compare: [.has(keys.head, Data(old.bytes))],
            success: [put(new), .put(PutRequest(key: keys.batch(entry.first), value: Data(entry.bytes)))],
            failure: [.range(RangeRequest(key: keys.head))])
        return try outcome(of: transaction)
    }

    /// Also requires that the key `writer` is absent or this node's own.
    package func claim(replacing old: Head?, as new: Head) throws(EventLogError) -> SharedLogAnswer {
        let compare = old.map { Compare.has(keys.head, Data($0.bytes)) } ?? .isAbsent(keys.head)
        return try outcome(of: whileAlone([compare], [put(new)] + named(), otherwise: [.range(RangeRequest(key: keys.head))]))
    }

    /// May block for `EtcdSettings.waitSeconds` until there is an entry.
    package func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let end = gateway.callEnd()
        var page = try page(after: position, bytes, until: end)
        if page.entries.isEmpty {
            guard let revision = page.revision,
                try logged({ () throws(EtcdFault) in try gateway.awaitChange(of: keys.head, after: revision, until: end) })
            else { return [] }
            page = try self.page(after: position, bytes, until: end)
        }
        var (entries, total) = (page.entries, page.bytes)
        while page.hasMore, total < bytes / 2, let last = entries.last.flatMap({ Entry.last(in: $0) }) {
            // The entries so far are an answer, too.
            guard let next = try? self.page(after: last, bytes - total, until: end), next.bytes <= bytes - total else { break }
            (page, total) = (next, total + next.bytes)
            entries += next.entries
        }
        return entries
    }

    private struct Page {
        var entries: [[UInt8]]
        var hasMore = false
        var revision: Int64?

        var bytes: Int { entries.reduce(0) { $0 + $1.count } }
    }

    /// The next entries; none at the head, which is read in the same transaction.
    private func page(after position: Position, _ bytes: Int, until end: NIODeadline) throws(EventLogError) -> Page {
        var range = RangeRequest(key: keys.batch(position.next), rangeEnd: keys.batchEnd)
        range.limit = min(pageMax.load(ordering: .relaxed), max(1, bytes / Self.entryBytes))
        let transaction = Transaction(success: [.range(RangeRequest(key: keys.head)), .range(range)])
        let answer: Answer
        do throws(EventLogError) { answer = try ask("/v3/kv/txn", transaction, .repeatable, until: end) } catch {
            pageMax.store(1, ordering: .relaxed)
            throw error
        }
        pageMax.store(min(Self.entriesMax, 2 * pageMax.load(ordering: .relaxed)), ordering: .relaxed)
        guard let parts = answer.responses, parts.count == 2, let head = parts[0].responseRange, let found = parts[1].responseRange else {
            throw EventLogError(.withoutParts)
        }
        let newest = try head.head()?.position ?? .start
        if position > newest { throw EventLogError(engineAt: newest, behind: position) }
        let page = Page(
            entries: found.values(bytes: bytes), hasMore: found.more == true, revision: answer.header?.revision.flatMap(Int64.init))
        if position == newest || found.kvs?.first?.key == keys.batch(position.next) { return page }
        if let around = try entry(around: position.next, until: end) { return Page(entries: [around], hasMore: true) }
        if page.entries.isEmpty { throw EventLogError(trimmed: position.next...newest) }
        return page
    }

    /// The entry that begins before a position and ends there or later.
    private func entry(around position: Position, until end: NIODeadline) throws(EventLogError) -> [UInt8]? {
        let last = try ask("/v3/kv/range", lastEntry(before: position), .repeatable, until: end).value
        return last.flatMap { bytes in (Entry.last(in: bytes) ?? .start) >= position ? bytes : nil }
    }

    private func lastEntry(before position: Position?) -> RangeRequest {
        var range = RangeRequest(key: keys.batch(.start), rangeEnd: position.map(keys.batch) ?? keys.batchEnd)
        (range.limit, range.sortOrder, range.sortTarget) = (1, "DESCEND", "KEY")
        return range
    }

    /// Keeps the last entry that begins at the position or before, because it may end later. Then compacts etcd's own history, without
    /// which its file would grow until every write is refused: beats make history, too.
    package func trim(through position: Position) throws(EventLogError) {
        let end = gateway.callEnd()
        var last = lastEntry(before: position.next)
        last.keysOnly = true
        let answer = try ask("/v3/kv/range", last, .repeatable, until: end)
        if let kept = answer.kvs?.first?.key {
            // Twice has the effect of once.
            let range = RangeRequest(key: keys.batch(.start), rangeEnd: kept)
            _ = try ask("/v3/kv/deleterange", range, .repeatable, until: end)
        }
        guard let revision = answer.header?.revision else { return }
        do throws(EtcdFault) { _ = try gateway.ask("/v3/kv/compaction", ["revision": revision], .repeatable, until: end) } catch {
            // Another node has compacted more.
            if case .refused = error { return }
            throw EventLogError(error)
        }
    }
}

extension EtcdLog {
    /// The newest stored entry, unchecked; nil if there is none. It can end beyond the head if somebody has changed that.
    package func newestEntry() throws(EventLogError) -> [UInt8]? {
        try ask("/v3/kv/range", lastEntry(before: nil), .repeatable).value
    }

    /// Removes the entries that end after a position, if the head is still `old`. A node that lacks the earlier events of one that begins
    /// before the position gets them from another node.
    ///
    /// - Returns: whether it was.
    package func removeEntries(after position: Position, while old: Head?) throws(EventLogError) -> Bool {
        let compare = old.map { Compare.has(keys.head, Data($0.bytes)) } ?? .isAbsent(keys.head)
        let last = try ask("/v3/kv/range", lastEntry(before: position.next), .repeatable)
        let isLonger = last.value.flatMap { Entry.last(in: $0) }.map { $0 > position } ?? false
        let first = isLonger ? last.kvs?.first?.key : nil
        let range = RangeRequest(key: first ?? keys.batch(position.next), rangeEnd: keys.batchEnd)
        return try ask("/v3/kv/txn", Transaction(compare: [compare], success: [.remove(range)]), .repeatable).hasSucceeded
    }

    func ask(
        _ path: String, _ body: some Encodable, _ kind: Gateway.Kind, until end: NIODeadline? = nil
    ) throws(EventLogError) -> Answer {
        try logged { () throws(EtcdFault) in try gateway.ask(path, body, kind, until: end) }
    }

    func logged<Value>(_ act: () throws(EtcdFault) -> Value) throws(EventLogError) -> Value {
        do throws(EtcdFault) { return try act() } catch { throw EventLogError(error) }
    }

    private func put(_ head: Head) -> Transaction.Step { .put(PutRequest(key: keys.head, value: Data(head.bytes))) }

    /// Names this node as the writer until its next beat, so that no other node claims in between.
    private func named() -> [Transaction.Step] {
        lease.withLock { $0 }.map { [.put(PutRequest(key: keys.writer, value: writer, lease: $0))] } ?? []
    }

    /// Steps for when the key `writer` is absent or this node's own. etcd knows no "or" but a transaction inside another one.
    private func whileAlone(_ compare: [Compare], _ steps: [Transaction.Step], otherwise: [Transaction.Step]) -> Transaction {
        let own = Transaction(compare: compare + [.has(keys.writer, writer)], success: steps, failure: otherwise)
        return Transaction(compare: compare + [.isAbsent(keys.writer)], success: steps, failure: [.transaction(own)])
    }

    private func outcome(of transaction: Transaction) throws(EventLogError) -> SharedLogAnswer {
        let answer = try ask("/v3/kv/txn", transaction, .once)
        if answer.hasSucceeded { return .durable }
        let last = answer.last
        // Without the range's own answer, this is not etcd's.
        guard let found = last.responses?.first?.responseRange else { throw EventLogError(.withoutParts) }
        return .superseded(try found.head())
    }
}

extension Answer {
    /// The answer of the inner transaction, if there is one.
    var last: Answer { responses?.first?.responseTxn ?? self }

    var hasSucceeded: Bool { succeeded == true || last.succeeded == true }

    fileprivate func head() throws(EventLogError) -> Head? {
        guard let value else { return nil }
        return try Head(value)
    }

    /// At least one value if there is any, and otherwise at most `bytes` bytes.
    fileprivate func values(bytes: Int) -> [[UInt8]] {
        var (values, total): ([[UInt8]], Int) = ([], 0)
        for pair in kvs ?? [] {
            let value = Array(pair.value ?? Data())
            total += value.count
            if !values.isEmpty, total > bytes { break }
            values.append(value)
        }
        return values
    }
}

/// The keys of one log.
struct LogKeys: Sendable {
    private let prefix: String

    init(log: String) { prefix = "/greentea/\(log)/" }

    var head: Data { Data((prefix + "head").utf8) }
    var writer: Data { Data((prefix + "writer").utf8) }
    var wish: Data { Data((prefix + "wish").utf8) }

    /// Twenty digits, so that the order of keys is that of positions.
    func batch(_ first: Position) -> Data {
        let digits = "\(first.rawValue)"
        return Data((prefix + "batch/" + String(repeating: "0", count: Self.digits - digits.count) + digits).utf8)
    }

    /// Beyond the last digit, but before any letter: the log LOG/batch has its keys there.
    var batchEnd: Data { Data((prefix + "batch/:").utf8) }

    func node(_ name: NodeName) -> Data { Data((prefix + "node/\(name)").utf8) }

    /// The name in a key of a node; nil for another key.
    func name(in key: Data) -> NodeName? {
        let start = prefix + "node/", text = String(decoding: key, as: UTF8.self)
        return text.hasPrefix(start) ? NodeName(String(text.dropFirst(start.count))) : nil
    }

    /// All keys of nodes, and the first key beyond them.
    var nodes: (first: Data, end: Data) { (Data((prefix + "node/").utf8), Data((prefix + "node0").utf8)) }

    private static let digits = 20
}
