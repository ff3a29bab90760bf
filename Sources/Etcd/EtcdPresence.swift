package import EventLog
internal import Foundation

// Leases say who seems alive, so that nodes need not wait for one another. They decide nothing: the compare of the head does.

/// A time for which keys in etcd stay without being renewed.
package struct EtcdLease: Sendable, Hashable {
    fileprivate let id: String
}

extension EtcdLog {
    /// The most nodes that are listed.
    private static let nodesMax = 64

    /// - Parameter seconds: without ``renew(_:)``, until the keys vanish; etcd takes at least 2.
    package func lease(seconds: Int) throws(EventLogError) -> EtcdLease {
        // Sent again after an unknown outcome: a lease without keys ends by itself.
        let answer = try ask("/v3/lease/grant", LeaseRequest(seconds: seconds), .repeatable)
        guard let id = answer.lease else { throw EventLogError(.unknown("a lease without its number")) }
        return EtcdLease(id: id)
    }

    /// - Returns: false if the lease has ended; its keys are gone then.
    package func renew(_ lease: EtcdLease) throws(EventLogError) -> Bool {
        try ask("/v3/lease/keepalive", LeaseRequest(lease: lease.id), .repeatable).result?.seconds != nil
    }

    /// Removes the keys of a lease at once.
    package func revoke(_ lease: EtcdLease) throws(EventLogError) {
        do throws(EtcdFault) { _ = try gateway.ask("/v3/lease/revoke", LeaseRequest(lease: lease.id), .repeatable) } catch {
            if error != .noLease { throw EventLogError(error) }
        }
    }

    /// Names this node as the writer, until the lease ends. Call after a claim: the key alone gives no right to write.
    ///
    /// - Returns: false if another node is named, or the lease has ended.
    package func announceWriter(_ lease: EtcdLease) throws(EventLogError) -> Bool {
        let step = Transaction.Step.put(PutRequest(key: keys.writer, value: writer, lease: lease.id))
        return try whileLeased { () throws(EtcdFault) in
            try gateway.ask("/v3/kv/txn", whileAlone([], step, otherwise: []), .repeatable).hasSucceeded
        }
    }

    /// The address of the node that is named as the writer; nil if none is.
    package func announcedWriter() throws(EventLogError) -> String? {
        try ask("/v3/kv/range", RangeRequest(key: keys.writer), .repeatable).value.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Publishes what a node says about itself, until the lease ends.
    ///
    /// - Returns: false if the lease has ended.
    package func announce(_ node: NodeName, _ facts: [UInt8], _ lease: EtcdLease) throws(EventLogError) -> Bool {
        let request = PutRequest(key: keys.node(node), value: Data(facts), lease: lease.id)
        return try whileLeased { () throws(EtcdFault) in
            _ = try gateway.ask("/v3/kv/put", request, .repeatable)
            return true
        }
    }

    /// The facts of the nodes that seem alive, as these wrote them.
    package func announcedNodes() throws(EventLogError) -> [NodeName: [UInt8]] {
        var request = RangeRequest(key: keys.nodes.first, rangeEnd: keys.nodes.end)
        request.limit = Self.nodesMax
        var nodes: [NodeName: [UInt8]] = [:]
        for pair in try ask("/v3/kv/range", request, .repeatable).kvs ?? [] {
            if let name = keys.name(in: pair.key) { nodes[name] = Array(pair.value ?? Data()) }
        }
        return nodes
    }

    private func whileLeased(_ act: () throws(EtcdFault) -> Bool) throws(EventLogError) -> Bool {
        do throws(EtcdFault) { return try act() } catch {
            if error == .noLease { return false }
            throw EventLogError(error)
        }
    }
}
