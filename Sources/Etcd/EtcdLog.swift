package import EventLog
internal import Foundation
internal import Synchronization

/// A shared log in etcd, by its v3 API.
///
/// Below `/greentea/LOG/`, the key `head` has the newest head, `batch/FIRST POSITION` an entry, `writer` the writing node,
/// `node/NAME` what a node says about itself, and `wish` the node that shall write. The last three live as long as their leases. Only bytes are compared, never revisions,
/// which begin anew in a restored etcd.
package final class EtcdLog: SharedLog {
    private static let entriesMax = 64
    /// How many entries are asked for follows from their usual size.
    private static let entryBytes = 16 << 10

    let gateway: Gateway
    let name: String
    let keys: LogKeys
    /// The value of the key `writer` while this process is the writer. Two nodes with one name have two.
    let writer: Data

    /// Creates a log without any request.
    ///
    /// - Parameters:
    ///   - log: its name, the same for all nodes.
    ///   - process: as in ``NodeNote/process``.
    package init(_ settings: EtcdSettings, log: String, node: NodeName, process: UInt64) {
        (gateway, name, keys, writer) = (Gateway(settings), log, LogKeys(log: log), Data("\(node) \(process)".utf8))
    }

    /// Checks every endpoint before the first use.
    ///
    /// - Returns: warnings for the operator.
    /// - Throws: ``EtcdFault``: a refused version, certificate or password, or no endpoint that answers.
    package func check() throws(EtcdFault) -> [String] {
        var (warnings, silent): ([String], [EtcdFault]) = ([], [])
        for endpoint in gateway.settings.endpoints {
            let version: String
            do throws(EtcdFault) { version = try gateway.version(of: endpoint) } catch {
                silent.append(error)
                continue
            }
            switch EtcdVersion.verdict(version) {
            case .accepted: break
            case .warned(let why): if !warnings.contains(why) { warnings.append(why) }
            case .refused: throw .refusedVersion(version)
            }
        }
        if silent.count == gateway.settings.endpoints.count { throw Gateway.merged(silent) }
        _ = try gateway.ask("/v3/kv/range", RangeRequest(key: keys.head), .repeatable)
        let alarms = try gateway.ask("/v3/maintenance/alarm", ["action": "GET"], .repeatable).alarms ?? []
        if alarms.contains(where: { $0.alarm == "NOSPACE" }) { warnings.append(EtcdFault.noSpace.description) }
        return warnings + silent.map(\.description)
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
        return try outcome(of: whileAlone([compare], put(new), otherwise: [.range(RangeRequest(key: keys.head))]))
    }

    /// May block for `EtcdSettings.waitSeconds` until there is an entry.
    package func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let now = try batches(after: position, bytes)
        if now.kvs?.isEmpty == false { return now.values(bytes: bytes) }
        guard let revision = now.header?.revision.flatMap(Int64.init),
            try logged({ () throws(EtcdFault) in try gateway.awaitChange(of: keys.head, after: revision) })
        else { return [] }
        return try batches(after: position, bytes).values(bytes: bytes)
    }

    private func batches(after position: Position, _ bytes: Int) throws(EventLogError) -> Answer {
        var request = RangeRequest(key: keys.batch(position.next), rangeEnd: keys.batchEnd)
        request.limit = min(Self.entriesMax, max(1, bytes / Self.entryBytes))
        return try logged { () throws(EtcdFault) in
            do throws(EtcdFault) { return try gateway.ask("/v3/kv/range", request, .repeatable) } catch {
                guard error == .answerTooLong else { throw error }
                // Entries that a writer would not make. One of them fits, because etcd limits the size of a request.
                request.limit = 1
                return try gateway.ask("/v3/kv/range", request, .repeatable)
            }
        }
    }

    /// Keeps the last entry that begins at the position or before, because it may end later. Then compacts etcd's own history, without
    /// which its file would grow until every write is refused.
    package func trim(through position: Position) throws(EventLogError) {
        var last = RangeRequest(key: keys.batch(.start), rangeEnd: keys.batch(position.next))
        (last.limit, last.keysOnly, last.sortOrder, last.sortTarget) = (1, true, "DESCEND", "KEY")
        guard let kept = try ask("/v3/kv/range", last, .repeatable).kvs?.first?.key else { return }
        // Twice has the effect of once.
        let removed = try ask("/v3/kv/deleterange", RangeRequest(key: keys.batch(.start), rangeEnd: kept), .repeatable)
        guard let revision = removed.header?.revision else { return }
        do throws(EtcdFault) { _ = try gateway.ask("/v3/kv/compaction", ["revision": revision], .repeatable) } catch {
            // Another node has compacted more.
            if case .refused = error { return }
            throw EventLogError(error)
        }
    }
}

extension EtcdLog {
    func ask(_ path: String, _ body: some Encodable, _ kind: Gateway.Kind) throws(EventLogError) -> Answer {
        try logged { () throws(EtcdFault) in try gateway.ask(path, body, kind) }
    }

    private func logged<Value>(_ act: () throws(EtcdFault) -> Value) throws(EventLogError) -> Value {
        do throws(EtcdFault) { return try act() } catch { throw EventLogError(error) }
    }

    private func put(_ head: Head) -> Transaction.Step { .put(PutRequest(key: keys.head, value: Data(head.bytes))) }

    /// A step that is taken only if the key `writer` is absent or this node's own. etcd knows no "or" but a transaction inside another one.
    func whileAlone(_ compare: [Compare], _ step: Transaction.Step, otherwise: [Transaction.Step]) -> Transaction {
        let own = Transaction(compare: compare + [.has(keys.writer, writer)], success: [step], failure: otherwise)
        return Transaction(compare: compare + [.isAbsent(keys.writer)], success: [step], failure: [.transaction(own)])
    }

    private func outcome(of transaction: Transaction) throws(EventLogError) -> SharedLogAnswer {
        let answer = try ask("/v3/kv/txn", transaction, .once)
        if answer.hasSucceeded { return .durable }
        let last = answer.last
        // Without the range's own answer, this is not etcd's.
        guard let found = last.responses?.first?.responseRange else { throw EventLogError(.unknown("an answer without its parts")) }
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
