public import CommandService
public import EventLog
import Synchronization

/// A file of the data folder that was found damaged while the service runs.
public struct DamagedFile: Hashable, Sendable {
    /// The file, and the reason in the answer of `/readyz`.
    public enum Name: String, CaseIterable, Sendable {
        case log, keys
    }

    /// The damaged part, in ascending order of harm.
    public enum Kind: Comparable, Sendable {
        /// The process ends, for the log's at the next event, and the restart makes the lock file anew.
        case lockFile
        case page
        /// Everything written from now on is lost, because the file was removed or replaced.
        case removal
    }

    public let name: Name
    public let detail: String
    /// nil if the damage is of no single event.
    public let position: Position?
    public let remedy: String
    public let kind: Kind
    public internal(set) var isAccepted = false

    public init(_ name: Name, _ detail: String, position: Position? = nil, remedy: String, kind: Kind = .page) {
        (self.name, self.detail, self.position, self.remedy, self.kind) = (name, detail, position, remedy, kind)
    }
}

final class FoundDamage: Sendable {
    private let files = Mutex<[DamagedFile]>([])
    /// A search of the log has found it whole.
    let isLogSearched = Atomic(false)
    private let acceptsDamagedLog: Bool

    init(acceptsDamagedLog: Bool) { self.acceptsDamagedLog = acceptsDamagedLog }

    var all: [DamagedFile] { files.withLock { $0 } }

    /// Damage replaces less harmful damage of the same file. Returns whether it was added.
    func add(_ file: DamagedFile) -> Bool {
        files.withLock { files in
            guard !files.contains(where: { $0.name == file.name && $0.kind >= file.kind }) else { return false }
            var file = file
            file.isAccepted = file.name == .log && acceptsDamagedLog && file.kind == .page
            files.removeAll { $0.name == file.name }
            files.append(file)
            return true
        }
    }

    /// No backup takes events behind the damage, so they would be lost with the folder.
    var refusesEvents: Bool { all.contains { $0.name == .log && $0.kind != .lockFile && !$0.isAccepted } }
}

extension GreenTea {
    public var damage: [DamagedFile] { found.all }

    /// Notes damage until the next start. A damaged page or the removal of the log ends writing, unless
    /// ``ProvingOptions/acceptsDamagedLog`` is set and the file is there.
    public func note(_ file: DamagedFile) -> Bool { found.add(file) }

    public func noteWholeLog() { found.isLogSearched.store(true, ordering: .relaxed) }

    /// Reading of the whole log MUST wait for this if it can, because a damaged page can end the process.
    public var isLogWhole: Bool { found.isLogSearched.load(ordering: .relaxed) && !damage.contains { $0.name == .log } }

    /// Blocks.
    ///
    /// - Throws: an error of reading that is no damage.
    @available(*, noasync)
    public func inspectKeys(rows: Bool) throws -> KeyStoreError? { try keyStore.inspect(rows: rows) }

    /// The error for an overwritten lock file of the keys. Takes no time.
    public var keysLockDamage: KeyStoreError? { keyStore.lockDamage }
}
