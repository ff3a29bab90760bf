internal import Foundation
package import LMDB
internal import Synchronization

/// An LMDB environment for data that can be rebuilt from the log and is therefore not flushed at each commit.
///
/// A file `state` in the folder makes it safe not to flush. The state is set to "open" before the content can change, and to "clean" after
/// a clean close. If the process dies, the page cache still has every commit, and the content is kept. If the machine dies, pages may be
/// lost: the next opening finds the state "open" from another boot of the machine, and discards the content. It also discards an
/// environment whose file is damaged, or is not a file of this LMDB version.
///
/// The owner MUST store its position in the log in the same transaction as its data, and MUST be able to begin again at ``Position/start``.
/// The owner keeps the version of its schema in a table, and calls ``discard(directory:options:)`` when that version has changed. Copy the
/// folder only after ``close()``: a copy of an open folder may be inconsistent, but the same machine would trust it until its next boot.
///
/// `WRITEMAP` is not used: it would extend each file, and each copy of the folder, to the whole reserved map.
package final class DerivedEnvironment: Sendable {
    /// The environment with the content. Its commits survive the end of the process, but not a power failure.
    package let environment: Environment
    /// Whether earlier content was kept.
    package let origin: Origin

    private let state: StateFile
    private let isClosed = Mutex(false)

    /// Opens or creates the environment in a folder. Discards content that cannot be trusted.
    ///
    /// - Parameters:
    ///   - directory: a folder that contains nothing else.
    ///   - options: options of the storage layer. Their `durability` and `walkBytesHeld` are ignored, because this type sets them.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` if another process has the folder locked or the disk fails,
    ///   ``EventLogError/Code-swift.struct/io``.
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

    /// Opens the folder after discarding its content.
    ///
    /// Every other reference to an environment of this folder must have been released.
    ///
    /// - Throws: as ``init(directory:options:)``.
    package static func discard(
        directory: String, options: Environment.Options = .init()
    ) throws(EventLogError) -> DerivedEnvironment {
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
        self.environment = environment
        self.origin = origin
        state = StateFile(in: environment.directory)
        // A crash before this call leaves the old state, which is still true, because the content has not changed yet.
        try state.markOpen()
    }

    /// Flushes the content and marks it as complete. No transaction may be open, and no later transaction may write.
    ///
    /// Without this call the content is also kept, unless the machine stops or restarts before the next opening. A second call does
    /// nothing. The files are closed with the last reference to ``environment``.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``, ``EventLogError/Code-swift.struct/io``. After a failed flush the content is
    ///   no longer trusted, because the page cache may differ from the disk; see ``StateFile/markUntrusted()``.
    package func close() throws(EventLogError) {
        try close { (environment) throws(LMDBError) in try environment.sync() }
    }

    /// Closes with a custom flush, for tests in which the flush fails.
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
        // A crash before this call costs at most a rebuild of the content from the log.
        try state.markClean()
    }

    private static func open(_ directory: String, _ options: Environment.Options) throws(LMDBError) -> Environment {
        var options = options
        options.durability = .none
        options.walkBytesHeld = LogLimits.walkBytesHeld
        return try Environment(directory: directory, access: .readWrite, options: options)
    }

    /// Throws if the folder is open elsewhere or may not be written. Other errors at opening are ignored, because the content is about to
    /// be discarded.
    private static func requireUnlocked(_ directory: String, _ options: Environment.Options) throws(EventLogError) {
        guard FileManager.default.fileExists(atPath: directory + "/data.mdb") else { return }
        do throws(LMDBError) { _ = try open(directory, options) } catch {
            let refusals: [LMDBError.Code] = [.locked, .alreadyOpen, .permission, .readOnlyDisk]
            if refusals.contains(error.code) { throw EventLogError(derived: error) }
        }
    }

    /// Removes only the environment's own files. The state file comes first: a crash in between leaves an environment that is not trusted.
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
        /// There was no environment in the folder.
        case missing
        /// The machine stopped without a clean close of the environment, or a flush failed, so pages may be lost. A folder that was copied
        /// while it was open, and is then opened on another machine or after a restart, gives the same reason.
        case uncleanStop
        /// The file is damaged, or is not a file of this LMDB version.
        case damaged
        /// The caller could not use the content: it has another schema or belongs to another log.
        case discarded
    }
}
