internal import Foundation
package import LMDB
internal import Synchronization

/// An LMDB environment for data that can be made again from the log, and therefore is not flushed at each commit.
///
/// A file `state` in the folder makes that safe. It is set to "open" before the content can change and to "clean" after a clean
/// close. When the process dies, the page cache still has every commit, and the content is kept. When the machine dies, pages may
/// be lost: the next opening sees an "open" of another boot, and throws the content away. The same is done with an environment
/// that the storage layer finds damaged or cannot read.
///
/// The owner MUST store in the same transaction as its data how far in the log it has got, and MUST be ready to begin again at
/// ``Position/start``. It keeps its own schema version in a table and calls ``discard(directory:options:)`` when that has changed.
/// A folder that was copied while open is trusted on the machine it was copied on: copy only after ``close()``.
///
/// `WRITEMAP` is not used: it would extend each file to the whole reserved map, and each copy of the folder with it.
package final class DerivedEnvironment: Sendable {
    /// The environment with the content. Its commits survive the end of the process, but not a power cut.
    package let environment: Environment
    /// Whether there is content from before.
    package let origin: Origin

    private let state: StateFile
    private let isClosed = Mutex(false)

    /// Opens or makes the environment in a folder, throwing the content away if it cannot be trusted.
    ///
    /// - Parameters:
    ///   - directory: a folder for this alone.
    ///   - options: of the storage layer; the durability is set here.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` when it is locked by another process or the disk refuses,
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

    /// Opens the folder after throwing away whatever it holds.
    ///
    /// Every other reference to an environment of this folder must be gone.
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
            guard error.code == .damaged || error.code == .foreign else { throw EventLogError(error) }
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
        do throws(LMDBError) { environment = try Self.open(directory, options) } catch { throw EventLogError(error) }
        try self.init(environment, .fresh(reason))
    }

    private init(_ environment: Environment, _ origin: Origin) throws(EventLogError) {
        self.environment = environment
        self.origin = origin
        state = StateFile(in: environment.directory)
        // A crash before this leaves the old state, and nothing of the content has changed since.
        try state.markOpen()
    }

    /// Flushes the content and marks it as complete. No transaction may be open, and none may write after it.
    ///
    /// Without this call the content is kept as well, unless the machine stops or restarts before the next opening. A second call does
    /// nothing. The files are released with the last reference to ``environment``.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``, ``EventLogError/Code-swift.struct/io``. The content is not trusted any more
    ///   then, because after a failed flush the page cache may differ from the disk.
    package func close() throws(EventLogError) {
        try close { (environment) throws(LMDBError) in try environment.sync() }
    }

    /// The same with another flush, for tests of one that fails.
    func close(_ flush: (Environment) throws(LMDBError) -> Void) throws(EventLogError) {
        let wasClosed = isClosed.withLock { closed in
            defer { closed = true }
            return closed
        }
        if wasClosed { return }
        do throws(LMDBError) { try flush(environment) } catch {
            try state.markUntrusted()
            throw EventLogError(error)
        }
        // A crash before this costs a rebuild at most.
        try state.markClean()
    }

    private static func open(_ directory: String, _ options: Environment.Options) throws(LMDBError) -> Environment {
        var options = options
        options.durability = .none
        options.walkBytesHeld = LogLimits.walkBytesHeld
        return try Environment(directory: directory, access: .readWrite, options: options)
    }

    /// Refuses to empty what another process has open; that it cannot be opened is no hindrance.
    private static func requireUnlocked(_ directory: String, _ options: Environment.Options) throws(EventLogError) {
        guard FileManager.default.fileExists(atPath: directory + "/data.mdb") else { return }
        do throws(LMDBError) { _ = try open(directory, options) } catch {
            if error.code == .locked || error.code == .alreadyOpen || error.code == .permission { throw EventLogError(error) }
        }
    }

    /// Removes the environment's own files and no others. The state file goes first: a crash in between leaves an environment that is not
    /// trusted.
    private static func empty(_ directory: String) throws(EventLogError) {
        for name in ["state", "data.mdb", "lock.mdb"] {
            let path = directory + "/" + name
            guard FileManager.default.fileExists(atPath: path) else { continue }
            do { try FileManager.default.removeItem(atPath: path) } catch { throw EventLogError(.io, "\(path): \(error)") }
        }
    }
}

extension DerivedEnvironment {
    /// The fate of earlier content at opening.
    package enum Origin: Sendable, Hashable {
        /// The content was kept: everything that its transactions stored is there.
        case kept
        /// The content is empty for this reason, and is to be filled again from the log.
        case fresh(Reason)
    }

    /// Why a derived environment begins empty.
    package enum Reason: String, Sendable, Hashable {
        /// There was no folder.
        case missing
        /// The machine, or a copy's origin, stopped without a clean close: pages may be lost.
        case uncleanStop
        /// The storage layer could not read it.
        case damaged
        /// The caller had no more use for it: another schema, another log.
        case discarded
    }
}
