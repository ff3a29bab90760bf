internal import Foundation
package import LMDB
internal import Synchronization

/// An LMDB environment for data that can be rebuilt from the log, and is therefore not flushed at each commit.
///
/// A file `state` is "open" before the content can change, and "clean" after a clean close. If the process dies, the page cache keeps every
/// commit. If the machine dies, the next opening finds "open" from another boot and discards the content, as it does with a damaged or
/// foreign file.
///
/// The owner MUST store its position in the log in the same transaction as its data, and MUST be able to begin again at ``Position/start``.
/// It calls ``discard(directory:options:)`` when its schema has changed. Copy the folder only after ``close()``: a copy of an open one may
/// be inconsistent, but the same boot would trust it.
///
/// `WRITEMAP` is not used: it would extend each file and copy to the whole map.
package final class DerivedEnvironment: Sendable {
    /// Commits survive the end of the process, but not a power failure.
    package let environment: Environment
    package let origin: Origin

    private let state: StateFile
    private let isClosed = Mutex(false)

    /// Opens or creates the environment in a folder of its own, and discards content that cannot be trusted.
    ///
    /// - Parameter options: `durability` and `walkBytesHeld` are ignored.
    /// - Throws: ``EventLogError`` `.storage` if another process has the folder locked or the disk fails, `.io`.
    package convenience init(directory: String, options: Environment.Options = .init()) throws(EventLogError) {
        let state = StateFile(in: directory)
        if !FileManager.default.fileExists(atPath: directory + "/data.mdb") {
            try self.init(empty: directory, .missing, options)
        } else if state.isTrusted {
            try self.init(trusted: directory, options)
        } else {
            try self.init(empty: directory, .uncleanStop, options)
        }
    }

    /// Opens the folder after discarding its content. Every other reference to its environment must have been released.
    ///
    /// - Throws: as ``init(directory:options:)``.
    package static func discard(directory: String, options: Environment.Options = .init()) throws(EventLogError) -> DerivedEnvironment {
        try DerivedEnvironment(empty: directory, .discarded, options)
    }

    private convenience init(trusted directory: String, _ options: Environment.Options) throws(EventLogError) {
        let environment: Environment?
        do throws(LMDBError) { environment = try Self.open(directory, options) } catch {
            guard error.code == .damaged || error.code == .foreign else { throw EventLogError(derived: error) }
            environment = nil
        }
        if let environment {
            try self.init(environment, .kept)
        } else {
            try self.init(empty: directory, .damaged, options)
        }
    }

    private convenience init(empty directory: String, _ reason: Reason, _ options: Environment.Options) throws(EventLogError) {
        try Self.requireUnlocked(directory, options)
        try Self.empty(directory)
        let environment: Environment
        do throws(LMDBError) { environment = try Self.open(directory, options) } catch { throw EventLogError(derived: error) }
        try self.init(environment, .fresh(reason))
    }

    private init(_ environment: Environment, _ origin: Origin) throws(EventLogError) {
        (self.environment, self.origin) = (environment, origin)
        state = StateFile(in: environment.directory)
        // A crash here leaves the old state, still true because the content has not changed.
        try state.markOpen()
    }

    /// Flushes the content and marks it as complete. No transaction may be open, and none may write later. A second call does nothing.
    ///
    /// Without it, the content is kept unless the machine restarts.
    ///
    /// - Throws: ``EventLogError`` `.storage`, `.io`. After a failed flush the content is no longer trusted; see
    ///   ``StateFile/markUntrusted()``.
    package func close() throws(EventLogError) { try close { (environment) throws(LMDBError) in try environment.sync() } }

    /// For tests in which the flush fails.
    func close(_ flush: (Environment) throws(LMDBError) -> Void) throws(EventLogError) {
        let wasClosed = isClosed.withLock { closed in
            defer { closed = true }
            return closed
        }
        if wasClosed { return }
        do throws(LMDBError) { try flush(environment) } catch {
            try state.markUntrusted()
            throw EventLogError(derived: error)
        }
        // A crash here costs at most a rebuild from the log.
        try state.markClean()
    }

    private static func open(_ directory: String, _ options: Environment.Options) throws(LMDBError) -> Environment {
        var options = options
        options.durability = .none
        options.walkBytesHeld = LogLimits.walkBytesHeld
        return try Environment(directory: directory, access: .readWrite, options: options)
    }

    /// Other errors do not matter, because the content is about to be discarded.
    private static func requireUnlocked(_ directory: String, _ options: Environment.Options) throws(EventLogError) {
        guard FileManager.default.fileExists(atPath: directory + "/data.mdb") else { return }
        do throws(LMDBError) { _ = try open(directory, options) } catch {
            let refusals: [LMDBError.Code] = [.locked, .alreadyOpen, .permission, .readOnlyDisk]
            if refusals.contains(error.code) { throw EventLogError(derived: error) }
        }
    }

    /// The state file goes first: a crash in between leaves an environment that is not trusted.
    private static func empty(_ directory: String) throws(EventLogError) {
        for name in ["state", "data.mdb", "lock.mdb"] {
            let path = directory + "/" + name
            guard FileManager.default.fileExists(atPath: path) else { continue }
            do { try FileManager.default.removeItem(atPath: path) } catch { throw EventLogError(.io, "\(path): \(error)") }
        }
    }
}

extension DerivedEnvironment {
    /// The result of checking earlier content at opening.
    package enum Origin: Sendable, Hashable {
        /// The content was kept, with everything that its transactions stored.
        case kept
        /// The content is empty for this reason, and must be rebuilt from the log.
        case fresh(Reason)
    }

    /// The reason why a derived environment begins empty.
    package enum Reason: String, Sendable, Hashable {
        case missing
        /// The machine stopped, or a flush failed, or an open folder was copied, so pages may be lost.
        case uncleanStop
        /// The file is damaged, or is not a file of this LMDB version.
        case damaged
        /// The content has another schema or belongs to another log.
        case discarded
    }
}
