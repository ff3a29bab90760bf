public import CommandService
public import EventLog
import Synchronization

/// A file of the data folder that was found damaged while the service runs.
public struct DamagedFile: Hashable, Sendable {
    /// The file, and the reason in the answer of `/readyz`.
    public enum Name: String, CaseIterable, Sendable {
        case log, keys
    }

    public let name: Name
    /// The details of the damage, for the operator's log.
    public let detail: String
    /// The position of the event that is damaged; nil if the damage is of no single event.
    public let position: Position?
    /// The remedy, in one or two sentences.
    public let remedy: String
    /// Whether the file was removed or replaced, so that everything written from then on is lost.
    public let isRemoved: Bool
    /// Whether the operator has accepted such damage.
    public internal(set) var isAccepted = false

    public init(_ name: Name, _ detail: String, position: Position? = nil, remedy: String, isRemoved: Bool = false) {
        (self.name, self.detail, self.position, self.remedy, self.isRemoved) = (name, detail, position, remedy, isRemoved)
    }
}

/// The damage that was found since the start.
final class FoundDamage: Sendable {
    private let files = Mutex<[DamagedFile]>([])
    /// Whether a search of the log has ended and found it whole.
    let isLogSearched = Atomic(false)
    /// Whether events are accepted after damage to the log.
    private let acceptsDamagedLog: Bool

    init(acceptsDamagedLog: Bool) { self.acceptsDamagedLog = acceptsDamagedLog }

    var all: [DamagedFile] { files.withLock { $0 } }

    /// Adds damage, unless that of the same file is known. The removal of a file replaces other damage of it.
    ///
    /// - Returns: whether it was added.
    func add(_ file: DamagedFile) -> Bool {
        files.withLock { files in
            guard !files.contains(where: { $0.name == file.name && ($0.isRemoved || !file.isRemoved) }) else { return false }
            var file = file
            file.isAccepted = file.name == .log && acceptsDamagedLog && !file.isRemoved
            files.removeAll { $0.name == file.name }
            files.append(file)
            return true
        }
    }

    /// Whether no more events are accepted. No backup takes the events behind damage of the log, so each would be lost with the folder.
    var refusesEvents: Bool { all.contains { $0.name == .log && !$0.isAccepted } }
}

extension GreenTea {
    /// The files that were found damaged since the start.
    public var damage: [DamagedFile] { found.all }

    /// Notes that a file is damaged, which holds until the next start. Damage of the log ends writing: every later command is refused with
    /// ``CommandService/ServiceError/stopping``, unless the file is there and ``ProvingOptions/acceptsDamagedLog`` says otherwise.
    ///
    /// - Returns: whether that was not known before.
    public func note(_ file: DamagedFile) -> Bool { found.add(file) }

    /// Notes that a search of the log has found it whole.
    public func noteWholeLog() { found.isLogSearched.store(true, ordering: .relaxed) }

    /// Whether the log was searched and no damage of it is known. Work that reads the whole log and can wait MUST wait for this, because a
    /// damaged page can end the process.
    public var isLogWhole: Bool { found.isLogSearched.load(ordering: .relaxed) && !damage.contains { $0.name == .log } }

    /// Searches the file of the keys for damage; see `KeyStore.inspect`. Blocks.
    ///
    /// - Parameter rows: whether to check every row after the pages.
    /// - Returns: the damage; nil if there is none.
    /// - Throws: an error of reading that is no damage.
    @available(*, noasync)
    public func inspectKeys(rows: Bool) throws -> KeyStoreError? { try keyStore.inspect(rows: rows) }
}
