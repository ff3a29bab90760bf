package import EventLog
package import Merkle
internal import Seeds
internal import Synchronization

/// The steps that make a batch durable and with which the writer's tests run.
package enum DurabilityKind: CaseIterable, Sendable {
    case local
    case shared
    /// Many requests and answers are lost, late or doubled.
    case sharedWithFaults

    /// The kinds for the suites of the service. Whatever fails over a quiet shared log fails over one with faults, too.
    package static let ofService = [local, sharedWithFaults]

    /// The options with this step, for a new log.
    package func options(_ options: EventLog.Options = .init()) throws(EventLogError) -> EventLog.Options {
        var options = options
        guard let engine = engine() else { return options }
        let commit = SharedCommit(engine)
        try commit.claim(as: .a, at: .start, root: .ofNothing)
        options.durability = commit
        return options
    }

    /// A new shared log of this kind; nil for local commits.
    package func engine() -> MemorySharedLog? {
        switch self {
        case .local: nil
        case .shared: MemorySharedLog()
        case .sharedWithFaults: MemorySharedLog(failingBy: .announced("sharedWithFaults"))
        }
    }
}

extension SharedCommit {
    private static let processes = Atomic<UInt64>(0)

    /// Creates a step that retries at once, for a process of its own.
    package convenience init(_ engine: MemorySharedLog) {
        self.init(engine, key: .forTests, process: Self.processes.add(1, ordering: .relaxed).newValue) { _ in 0 }
    }
}

extension EntryKey {
    /// The key of all entries in tests, also of the golden ones.
    package static let forTests = EntryKey(secret: Array(0..<32), log: "log.example/tea")
}

extension NodeName {
    package static let a = named("a"), b = named("b")

    private static func named(_ text: String) -> NodeName {
        guard let name = NodeName(text) else { preconditionFailure("no name: \(text)") }
        return name
    }
}

extension NodeHash {
    /// The root of an empty log.
    package static let ofNothing = TreeHasher.emptyRoot
}
