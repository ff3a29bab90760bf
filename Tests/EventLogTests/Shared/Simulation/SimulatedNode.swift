import Foundation
import SharedLogs

@testable import EventLog

/// A node of a ``Simulation``: a real log with a follower or, after a claim, with a writer's appender.
final class SimulatedNode {
    private enum Role {
        case follower(LogFollower, Appender, LogFollower.Progress)
        case writer(SharedCommit, Appender)
    }

    let name: NodeName
    /// Whether the node is in a call of the shared log.
    var isBusy = false
    private(set) var log: EventLog?
    private var role: Role?
    /// The number under which this node has claimed last.
    private(set) var process: UInt64 = 0
    /// The last event on the disk of a node that has ended.
    private var stored = Position.start
    private let folder: String
    private let link: any SharedLog
    private let peers: any EntrySource
    private let mistake: Mistake?

    init(_ name: NodeName, in folder: String, over link: any SharedLog, peers: any EntrySource, _ mistake: Mistake?) {
        (self.name, self.folder, self.link, self.peers, self.mistake) = (name, folder + "/\(name)", link, peers, mistake)
    }

    var isUp: Bool { log != nil }

    var isWriter: Bool {
        guard case .writer = role else { return false }
        return true
    }

    /// The last event on this node's disk.
    var position: Position { (try? log?.storage.head()) ?? stored }

    /// Opens the log, and follows.
    func start() throws(EventLogError) {
        log = try EventLog(
            directory: folder + "/log", index: folder + "/index", schema: .forTests, access: .readWrite,
            created: Timestamp(microseconds: 0))
        try follow()
    }

    /// Ends the process: the disk is all that stays.
    func end() {
        (stored, role) = (position, nil)
        log = nil
    }

    /// Replaces the disk of a node that has ended.
    func loseDisk() {
        try? FileManager.default.removeItem(atPath: folder)
        stored = .start
    }

    private func follow() throws(EventLogError) {
        guard let log else { return }
        let follower = LogFollower(log: log, key: .forTests, from: link, fallback: peers, pauseSeconds: { _ in 0 }) { _ in }
        role = .follower(follower, try log.appender(), LogFollower.Progress())
    }

    /// Takes one step of the follower; returns whether it adopted events.
    func adopt() throws(EventLogError) -> Bool {
        guard case .follower(let follower, let appender, var progress) = role else { return false }
        let before = appender.head
        _ = try follower.step(appender, &progress)
        role = .follower(follower, appender, progress)
        return appender.head > before
    }

    /// Becomes the writer; false if another node was faster.
    ///
    /// - Parameter isPatient: whether it asks again without an answer. Otherwise it may have claimed a term in which nobody writes.
    func claim(process: UInt64, isPatient: Bool) throws(EventLogError) -> Bool {
        guard let log, role != nil else { return false }
        (role, self.process) = (nil, process)
        let commit = SharedCommit(link, key: .forTests, process: process) { _ in 0 }
        if !isPatient { commit.giveUp() }
        do throws(EventLogError) { try commit.claim(as: name, at: log.head, root: try log.root()) } catch {
            if error.code != .superseded && error.code != .unreachable { throw error }
            try follow()
            return false
        }
        role = .writer(commit, try log.appender(durability: mistake?.durability(commit) ?? commit))
        return true
    }

    /// Follows again.
    func handOver() throws(EventLogError) {
        role = nil
        try follow()
    }

    /// Decides requests, and makes their events durable: one round of a ``GroupCommit``.
    func decide(_ requests: [ClientRequest]) throws(EventLogError) -> [ClientAnswer] {
        guard case .writer(let commit, let appender) = role else { return [] }
        var answers: [ClientAnswer] = []
        for request in requests { answers.append(try decide(request, appender)) }
        if !appender.staged.isEmpty {
            try appender.commit()
        } else if mistake != .doesNotConfirm {
            try commit.confirm()
        }
        return answers
    }

    /// A coupon is taken once, until it is returned. A repeated request gets its first answer.
    private func decide(_ request: ClientRequest, _ appender: Appender) throws(EventLogError) -> ClientAnswer {
        if mistake != .forgetsRequests, let position = try appender.lastPosition(of: card(request.id), type: nil) {
            return .stored(position)
        }
        let last = try appender.lastPosition(of: shop(request.coupon), type: nil)
        let type = try last.flatMap { (last) throws(EventLogError) in try appender.withRecord(at: last) { $0.type } } ?? .closed
        if type == request.type { return .refused }
        return .stored(try appender.stage(event(request.type, card(request.id), shop(request.coupon))))
    }

    /// Removes the entries through a position from the shared log.
    func trim(through position: Position) throws(EventLogError) { try link.trim(through: position) }
}
