import SharedLogs

@testable import EventLog

/// The connection of a node to the shared log of its ``Simulation``.
struct SimulatedLink: SharedLog {
    unowned let simulation: Simulation
    let node: Int

    func head() throws(EventLogError) -> Head? {
        try call("head", isRepeatable: false) { (simulation) throws(EventLogError) in
            if simulation.mistake == .readsOldHeads, simulation.isFaulty { return simulation.engine.heads.dropLast().last }
            return try simulation.engine.head()
        }
    }

    func append(_ entry: Entry, replacing old: Head) throws(EventLogError) -> SharedLogAnswer {
        do throws(EventLogError) {
            let answer = try call("append \(entry) to \(old)") { (simulation) throws(EventLogError) in
                try simulation.engine.append(entry, replacing: old)
            }
            return simulation.mistake == .comparesNothing ? .durable : answer
        } catch {
            if error.code == .unreachable, simulation.mistake == .trustsUnknownOutcomes { return .durable }
            throw error
        }
    }

    func claim(replacing old: Head?, as new: Head) throws(EventLogError) -> SharedLogAnswer {
        try call("claim \(new)") { (simulation) throws(EventLogError) in try simulation.engine.claim(replacing: old, as: new) }
    }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let answer = try call("entries after \(position)", isRepeatable: false) { (simulation) throws(EventLogError) in
            Entries(list: try simulation.engine.entries(after: position, bytes: bytes))
        }
        return answer.list
    }

    func trim(through position: Position) throws(EventLogError) {
        try call("trim through \(position)") { (simulation) throws(EventLogError) in try simulation.engine.trim(through: position) }
    }

    private func call<Answer>(
        _ name: @autoclosure () -> String, isRepeatable: Bool = true, _ request: @escaping (Simulation) throws(EventLogError) -> Answer
    ) throws(EventLogError) -> Answer {
        try simulation.call(name(), by: node, isRepeatable: isRepeatable) { [unowned simulation] () throws(EventLogError) in
            try request(simulation)
        }
    }

    private struct Entries: CustomStringConvertible {
        let list: [[UInt8]]
        var description: String { "\(list.count) entries" }
    }
}

/// The logs of a node's peers, in entries that end elsewhere than those of the shared log.
struct PeerLogs: EntrySource {
    private static let entryBytes = 400

    unowned let simulation: Simulation
    let node: Int

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let own = simulation.nodes[node]
        let peers = simulation.nodes.filter { $0 !== own && !$0.isBusy && $0.position > position }.compactMap(\.log)
        guard let longest = peers.max(by: { $0.head < $1.head }) else { throw EventLogError(.unreachable, "no peer has more events") }
        return try longest.entry(after: position, bytes: min(bytes, Self.entryBytes), key: .forTests).map { [$0.bytes] } ?? []
    }
}
