public import Audit
public import EventLog
internal import Foundation
internal import Projections
internal import ReadModels

/// Creates, lists, checks and removes snapshots: copies of read models at earlier positions, which make queries about the past faster.
///
/// Snapshots are derived from the log and may be deleted at any time. The log is only read, beside a running server.
public struct SnapshotKeeping {
    /// A query reads fewer events than this after a snapshot, in a tenth of a second.
    public static let everyDefault: UInt64 = 1_000_000

    private let log: EventLog
    private let shelf: SnapshotShelf

    public init(of folder: AuditedFolder, log: EventLog) { (self.log, shelf) = (log, SnapshotShelf(of: folder, log: log)) }

    /// Creates the missing snapshots at the multiples of `every`, in one replay of the log, and returns them.
    ///
    /// - Parameter every: the number of events, at least 1.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``, ``AuditError/Code/output``; snapshots
    ///   completed before the error remain. ``AuditError/Code/occupied`` if another process creates or removes snapshots.
    public func make(every: UInt64 = Self.everyDefault, progress: (Position) -> Void = { _ in }) throws(AuditError) -> [SnapshotState] {
        let lock = try shelf.lock()
        defer { withExtendedLifetime(lock) {} }
        let wanted = missing(every: max(1, every))
        guard let first = wanted.first else { return [] }
        var replay = try Replay(of: log, until: .position(first), models: SnapshotName.models.map { $0.name }, progress: progress)
        var (times, made) = (SnapshotTimes(), [SnapshotState]())
        var last = Position.start
        for position in wanted {
            try replay.advance(until: .position(position), progress: progress)
            do { try times.extend(log, after: last, through: position) } catch { throw AuditError(any: error) }
            last = position
            made.append(state(of: try SnapshotWriter(shelf: shelf, log: log).write(replay, times)))
        }
        return made
    }

    /// The multiples of `every` without a usable snapshot. Removes unusable snapshots whose names the new ones will get.
    private func missing(every: UInt64) -> [Position] {
        var usable: Set<Position> = []
        for name in shelf.names {
            if (try? shelf.open(name)) != nil {
                usable.insert(name.mark.position)
            } else if SnapshotName(name.mark) == name, let mark = try? ModelMark(name.mark.position, in: log), mark == name.mark {
                try? FileManager.default.removeItem(atPath: shelf.path(of: name))
            }
        }
        let head = log.head.rawValue
        guard head >= every else { return [] }
        return stride(from: every, through: head, by: UInt64.Stride(clamping: every)).map { Position($0) }.filter { !usable.contains($0) }
    }

    /// All snapshots, from the earliest.
    public func list() -> [SnapshotState] { shelf.names.map { state(of: $0) } }

    private func state(of name: SnapshotName, fault: String? = nil) -> SnapshotState {
        let path = shelf.path(of: name)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let sizes = files.map { (try? FileManager.default.attributesOfItem(atPath: path + "/" + $0))?[.size] as? Int ?? 0 }
        let (position, bytes) = (name.mark.position, sizes.reduce(0, +))
        do throws(SnapshotFault) {
            let rows = try shelf.open(name).manifest.rows
            return SnapshotState(name: name.text, position: position, rows: rows, bytes: bytes, fault: fault)
        } catch {
            return SnapshotState(name: name.text, position: position, rows: nil, bytes: bytes, fault: fault ?? error.reason)
        }
    }

    /// Compares every usable snapshot with one replay of the log. Returns all snapshots with their faults.
    ///
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``.
    public func check(progress: (Position) -> Void = { _ in }) throws(AuditError) -> [SnapshotState] {
        var replay: Replay?
        var states: [SnapshotState] = []
        for name in shelf.names {
            let opened: PastSnapshot
            do throws(SnapshotFault) { opened = try shelf.open(name) } catch {
                states.append(state(of: name, fault: error.reason))
                continue
            }
            let bound = ReplayBound.position(opened.position)
            if var known = replay {
                replay = nil
                try known.advance(until: bound, progress: progress)
                replay = known
            } else {
                replay = try Replay(of: log, until: bound, models: SnapshotName.models.map { $0.name }, progress: progress)
            }
            guard let replay else { continue }
            states.append(state(of: name, fault: SnapshotCheck(snapshot: opened, replay: replay).fault()))
        }
        return states
    }

    /// Removes unusable snapshots and the remains of interrupted attempts, and returns their names.
    ///
    /// - Parameter all: removes every snapshot.
    /// - Throws: ``AuditError/Code/output``; ``AuditError/Code/occupied`` while another process creates or removes snapshots.
    public func prune(all: Bool = false) throws(AuditError) -> [String] {
        guard FileManager.default.fileExists(atPath: shelf.path) else { return [] }
        let lock = try shelf.lock()
        defer { withExtendedLifetime(lock) {} }
        let useless = shelf.names.filter { all || SnapshotCheck.fault(of: $0, on: shelf) != nil }.map(\.text)
        let names = useless + shelf.leftovers
        for name in names {
            do { try FileManager.default.removeItem(atPath: shelf.path + "/" + name) } catch {
                throw AuditError(
                    .output, "\(name) cannot be removed: \(FileFault(error)).", remedy: "Check the folder's owner and permissions.")
            }
        }
        return names
    }
}
