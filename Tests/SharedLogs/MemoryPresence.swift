package import EventLog
internal import Synchronization

/// The notes of nodes in memory. A lease ends when a test says so.
package final class MemoryPresence: Sendable {
    private struct State {
        var view = PresenceView()
        var writer: UInt64?
        var isCut: Set<NodeName> = []
    }

    private let state = Mutex(State())

    package init() {}

    package var view: PresenceView { state.withLock { $0.view } }

    /// A node's access.
    package func node(_ name: NodeName, process: UInt64) -> any Presence { Node(presence: self, name: name, process: process) }

    /// Ends a node's leases, as after two seconds without a beat.
    package func expire(_ name: NodeName) {
        state.withLock { state in
            state.view.nodes[name] = nil
            if state.view.writer == name { (state.view.writer, state.writer) = (nil, nil) }
        }
    }

    /// Writes in place of the writer's name, as no node does.
    package func plant(_ foreign: String) {
        state.withLock { state in (state.view.foreign, state.view.writer, state.writer) = (Array(foreign.utf8), nil, nil) }
    }

    /// Leaves all calls of a node without an answer, or answers them again.
    package func cut(_ name: NodeName, _ isCut: Bool) {
        state.withLock { state in if isCut { state.isCut.insert(name) } else { state.isCut.remove(name) } }
    }

    private struct Node: Presence {
        let presence: MemoryPresence
        let name: NodeName
        let process: UInt64

        private func answered<Answer>(_ body: (inout State) -> Answer) throws(EventLogError) -> Answer {
            let answer = presence.state.withLock { state in state.isCut.contains(name) ? nil : body(&state) }
            guard let answer else { throw EventLogError(.unreachable, "injected") }
            return answer
        }

        func beat(_ own: NodeNote, writes: Bool) throws(EventLogError) -> PresenceView {
            try answered { state in
                if state.view.nodes[name].map({ $0.process == process }) ?? true { state.view.nodes[name] = own }
                if writes, state.writer == nil, state.view.foreign == nil { (state.view.writer, state.writer) = (name, process) }
                return state.view
            }
        }

        func resign() throws(EventLogError) {
            try answered { state in if state.writer == process { (state.view.writer, state.writer) = (nil, nil) } }
        }

        func leave() throws(EventLogError) {
            try resign()
            try answered { state in if state.view.nodes[name]?.process == process { state.view.nodes[name] = nil } }
        }

        func expel(_ foreign: [UInt8], writes: Bool) throws(EventLogError) {
            try answered { state in
                guard state.view.foreign == foreign else { return }
                state.view.foreign = nil
                if writes { (state.view.writer, state.writer) = (name, process) }
            }
        }

        func wish(for writer: NodeName?) throws(EventLogError) { try answered { $0.view.wished = writer } }
    }
}
