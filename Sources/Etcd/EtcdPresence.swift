package import EventLog
internal import Foundation
internal import NIOCore
internal import Synchronization

// Leases say who seems alive, so that nodes need not wait for one another. They decide nothing: the compare of the head does.

extension EtcdLog: Presence {
    private static let nodesMax = 64, noteBytesMax = 16 << 10
    /// A wish lasts for so many lives of a silent node's note.
    private static let livesOfWish = 5

    /// Two requests. The node's key stays as it is while it ends with another lease: then it is another process's.
    package func beat(_ own: NodeNote, writes: Bool) throws(EventLogError) -> PresenceView {
        try logged { () throws(EtcdFault) in
            let end = gateway.callEnd()
            let lease = try heldLease(until: end)
            let steps = [try tell(own, lease), writes ? announce(lease) : withdraw()] + reads()
            let answer = try gateway.ask("/v3/kv/txn", Transaction(success: steps), .repeatable, until: end)
            return try view(answer, with: own)
        }
    }

    /// Reads what a beat reads, and tells nothing.
    package func view() throws(EventLogError) -> PresenceView {
        try logged { () throws(EtcdFault) in try view(gateway.ask("/v3/kv/txn", Transaction(success: reads()), .repeatable)) }
    }

    package func resign() throws(EventLogError) { _ = try ask("/v3/kv/txn", Transaction(success: [withdraw()]), .repeatable) }

    package func leave() throws(EventLogError) {
        guard let held = lease.withLock({ $0 }) else { return }
        do throws(EtcdFault) { _ = try gateway.ask("/v3/lease/revoke", LeaseRequest(lease: held), .repeatable) } catch {
            if error != .noLease { throw EventLogError(error) }
        }
        lease.withLock { $0 = nil }
    }

    package func expel(_ foreign: [UInt8], writes: Bool) throws(EventLogError) {
        let put = writes ? lease.withLock { $0 }.map { Transaction.Step.put(PutRequest(key: keys.writer, value: writer, lease: $0)) } : nil
        let step = put ?? .remove(RangeRequest(key: keys.writer))
        _ = try ask("/v3/kv/txn", Transaction(compare: [.has(keys.writer, Data(foreign))], success: [step]), .repeatable)
    }

    package func wish(for writer: NodeName?) throws(EventLogError) {
        try logged { () throws(EtcdFault) in
            let end = gateway.callEnd()
            guard let writer else {
                _ = try gateway.ask("/v3/kv/deleterange", RangeRequest(key: keys.wish), .repeatable, until: end)
                return
            }
            let lease = try newLease(seconds: Self.livesOfWish * gateway.settings.aliveSeconds, until: end)
            let wish = PutRequest(key: keys.wish, value: Data(writer.description.utf8), lease: lease)
            _ = try gateway.ask("/v3/kv/put", wish, .repeatable, until: end)
        }
    }

    /// The lease of the last beat, renewed, or a new one.
    private func heldLease(until end: NIODeadline) throws(EtcdFault) -> String {
        if let held = lease.withLock({ $0 }) {
            let renewal = try gateway.ask("/v3/lease/keepalive", LeaseRequest(lease: held), .repeatable, until: end)
            if renewal.result?.seconds != nil { return held }
        }
        let made = try newLease(seconds: gateway.settings.aliveSeconds, until: end)
        lease.withLock { $0 = made }
        return made
    }

    private func newLease(seconds: Int, until end: NIODeadline) throws(EtcdFault) -> String {
        // Sent again after an unknown outcome: a lease without keys ends by itself.
        let answer = try gateway.ask("/v3/lease/grant", LeaseRequest(seconds: seconds), .repeatable, until: end)
        guard let lease = answer.lease else { throw .withoutParts }
        return lease
    }

    private func tell(_ own: NodeNote, _ lease: String) throws(EtcdFault) -> Transaction.Step {
        let key = keys.node(own.name)
        let put = Transaction.Step.put(PutRequest(key: key, value: try Gateway.encoded(own), lease: lease))
        let again = Transaction(compare: [.isLeased(key, lease)], success: [put])
        return .transaction(Transaction(compare: [.isAbsent(key)], success: [put], failure: [.transaction(again)]))
    }

    private func announce(_ lease: String) -> Transaction.Step {
        let put = Transaction.Step.put(PutRequest(key: keys.writer, value: writer, lease: lease))
        return .transaction(Transaction(compare: [.isAbsent(keys.writer)], success: [put]))
    }

    private func withdraw() -> Transaction.Step {
        let own = Compare.has(keys.writer, writer)
        return .transaction(Transaction(compare: [own], success: [.remove(RangeRequest(key: keys.writer))]))
    }

    private func reads() -> [Transaction.Step] {
        var nodes = RangeRequest(key: keys.nodes.first, rangeEnd: keys.nodes.end)
        nodes.limit = Self.nodesMax
        return [RangeRequest(key: keys.writer), RangeRequest(key: keys.wish), nodes].map { .range($0) }
    }

    /// Leaves out notes that no program of ours has written.
    private func view(_ answer: Answer, with own: NodeNote? = nil) throws(EtcdFault) -> PresenceView {
        let found = (answer.responses ?? []).compactMap(\.responseRange)
        guard found.count == reads().count else { throw .withoutParts }
        var notes: [NodeName: NodeNote] = [:]
        if let own { notes[own.name] = own }
        for pair in found[2].kvs ?? [] {
            guard let value = pair.value, value.count <= Self.noteBytesMax else { continue }
            let note = try? JSONDecoder().decode(NodeNote.self, from: value)
            if let note, note.name == keys.name(in: pair.key) { notes[note.name] = note }
        }
        let writer = found[0].writer
        return PresenceView(writer: writer, wished: found[1].name, nodes: notes, foreign: writer == nil ? found[0].value : nil)
    }
}

extension Answer {
    /// The node of a value that a process of ours has written: its name and its number, with its lease.
    fileprivate var writer: NodeName? {
        guard kvs?.first?.lease != nil, let words = value?.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false),
            words.count == 2, UInt64(String(decoding: words[1], as: UTF8.self)) != nil
        else { return nil }
        return name
    }

    /// The node that the first value begins with.
    fileprivate var name: NodeName? {
        value.flatMap { NodeName(String(decoding: $0.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) }
    }
}
