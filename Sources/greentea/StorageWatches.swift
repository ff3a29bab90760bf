import CommandService
import Composition
import EventLog
import Logging
import ServiceLifecycle
import ServiceLog

extension Service {
    /// Calls `look` until the shutdown, each time after the pause that the last call returned. All services of the group end when one
    /// returns, so this returns at the shutdown only.
    ///
    /// - Parameters:
    ///   - first: the state that the calls hand on.
    ///   - pause: before the first call.
    func untilShutdown<State>(
        from first: @autoclosure @escaping @Sendable () -> State, after pause: Duration = .zero,
        _ look: @escaping @Sendable (inout State) async -> Duration
    ) async {
        try? await cancelWhenGracefulShutdown {
            var (state, pause) = (first(), pause)
            while true {
                try await Task.sleep(for: pause)
                pause = await look(&state)
            }
        }
        try? await gracefulShutdown()
    }
}

/// Ends the process when a failure has stopped the log's writer, or the copying of another node's log. Only a restart can determine
/// whether the last commit is on the disk.
struct WriterWatch: Service {
    let service: GreenTea

    func run() async throws {
        let reason = await cancelWhenGracefulShutdown { await service.awaitFailure() }
        let role = service.clusterStatus?.role
        if let reason, service.followingStatus != nil || role == .follower {
            throw Refusal.followingStopped(reason.reason, inCluster: role != nil)
        }
        if let reason { throw Refusal.writerStopped(reason.reason, storedNothing: reason.storedNothing) }
    }
}

/// Logs when another server's log can no longer be copied, and when it can again.
struct FollowWatch: Service {
    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: false, after: .seconds(1)) { hasFailed in
            guard let status = service.followingStatus, hasFailed != (status.failure != nil) else { return .seconds(1) }
            hasFailed.toggle()
            if let failure = status.failure {
                logger.report(
                    .followFailed, at: .warning, "the other server's log cannot be copied; it is tried again",
                    ["url": "\(status.url)", "cause": "\(failure)"])
            } else {
                logger.report(.followResumed, at: .notice, "the other server's log is copied again", ["url": "\(status.url)"])
            }
            return .seconds(1)
        }
    }
}

/// Logs each change of the cluster's writer, and of the reason why entries cannot be removed from etcd.
struct ClusterWatch: Service {
    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: (writer: String?.none, failure: String?.none)) { known in
            guard let status = service.clusterStatus else { return .seconds(1) }
            if let failure = status.trimFailure, failure != known.failure {
                logger.report(
                    .clusterTrimFailed, at: .warning, "etcd refuses to remove entries that two nodes have; it is tried again",
                    ["cause": "\(failure)"])
            }
            known.failure = status.trimFailure
            guard let writer = status.writer, writer != known.writer else { return .seconds(1) }
            // Another process with this node's name may write.
            if writer == status.node, status.role != .writer { return .seconds(1) }
            known.writer = writer
            if writer == status.node {
                logger.report(
                    .clusterWriting, at: .notice, "this node writes for its cluster", ["node": "\(writer)", "term": "\(status.term)"])
            } else {
                logger.report(.clusterFollowing, at: .notice, "another node writes; this one follows", ["writer": "\(writer)"])
            }
            return .seconds(1)
        }
    }
}

/// Logs changes of the tag index: runs that cannot be stored or can again, damaged runs, removed files. The service continues without it:
/// look-ups scan the log, and the index tries again.
struct IndexWatch: Service {
    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: (hasFailed: false, damages: 0)) { known in
            mend()
            if let status = service.log.indexStatus {
                if known.hasFailed != (status.failure != nil) { report(status) }
                if status.damagesFound > known.damages { reportDamage(status) }
                known = (status.failure != nil, status.damagesFound)
            }
            return .seconds(1)
        }
    }

    /// Restores a removed index folder and requests the rebuild. If that fails, the index reports it when it next stores a run.
    private func mend() {
        guard (try? service.log.mendIndex()) == true else { return }
        logger.report(
            .indexRemoved, at: .error, "files of the tag index were removed beside this process; they are made again from the log",
            ["remedy": "Nothing to do. Stop the server before deleting derived data."])
    }

    private func report(_ status: IndexStatus) {
        guard let failure = status.failure else {
            return logger.report(.indexResumed, at: .notice, "the tag index can be stored again", ["position": "\(status.covered)"])
        }
        logger.report(
            .indexFailed, at: .error, "the tag index cannot be stored; it tries again, and nothing else is affected but speed",
            [
                "cause": "\(failure.code)", "detail": "\(failure.detail)",
                "remedy": "\(failure.remedy)", "position": "\(status.covered)", "events_in_memory": "\(status.memoryEvents)",
            ])
    }

    private func reportDamage(_ status: IndexStatus) {
        logger.report(
            .indexDamaged, at: .warning, "a run of the tag index is damaged; the log answers in its place while it is made anew",
            ["damaged": "\(status.damagedRuns)", "found": "\(status.damagesFound)"])
    }
}

/// Removes killed processes from the log's table of readers, and warns of an old snapshot: until it ends, each commit grows the log's file.
struct ReaderWatch: Service {
    private static let pause = Duration.seconds(60)

    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: SnapshotLooks(), after: Self.pause) { looks in
            let cleared = service.log.clearDeadReaders()
            if cleared > 0 { logger.report(.readersCleared, at: .notice, "readers that were killed are cleared", ["count": "\(cleared)"]) }
            looks.look(at: service.log.heldSnapshots).forEach(warn)
            return Self.pause
        }
    }

    private func warn(of snapshot: EventLog.HeldSnapshot) {
        logger.report(
            .readerHoldsLog, at: .warning,
            "a process has read the log under one snapshot for more than a minute; the file grows meanwhile",
            ["process": "\(snapshot.process)", "commitsBehind": "\(snapshot.commitsBehind)"])
    }
}

/// Warns once when a memory map is nearly full. A full log accepts no more events, and a full model stops.
struct MapWatch: Service {
    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: MapLooks()) { looks in
            looks.look(at: service.maps).forEach(warn)
            // The warning comes at 70 %, and the rest takes days to fill.
            return .seconds(10)
        }
    }

    private func warn(of map: MapUsage) {
        logger.report(
            .mapNearlyFull, at: .warning, "a map of the storage is nearly full",
            ["map": "\(map.name)", "usedBytes": "\(map.usedBytes)", "limitBytes": "\(map.limitBytes)", "remedy": "\(map.remedy)"])
    }
}

/// Reports that the machine's clock was set ahead or back, and has caught up. The service's own time never goes back.
struct ClockWatch: Service {
    /// Seconds set back for a report; time synchronisation sets back less.
    private static let leadSecondsMin = 2.0
    /// Seconds set ahead for a report, as for `/readyz`.
    private static let gainSecondsMin = 3_600.0

    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: (service: false, machine: false)) { isAhead in
            let gain = service.clockGainSeconds
            if gain >= Self.gainSecondsMin, !isAhead.machine { warn(gained: gain) }
            isAhead.machine = gain >= Self.gainSecondsMin
            let lead = service.clockLeadSeconds
            if lead >= Self.leadSecondsMin, !isAhead.service { warn(lead) }
            if lead == 0, isAhead.service {
                logger.report(.clockCaughtUp, at: .notice, "the machine's clock has caught up with the service's")
            }
            isAhead.service = lead >= Self.leadSecondsMin || (isAhead.service && lead > 0)
            return .seconds(1)
        }
    }

    private func warn(gained seconds: Double) {
        logger.report(
            .clockSetAhead, at: .warning,
            "the machine's clock was set ahead; the service's time follows, so codes, cards and campaigns end early if the time is wrong",
            ["seconds": "\(Int(seconds))", "remedy": "Check the time synchronisation, and set the clock right; if it is, restart."])
    }

    private func warn(_ lead: Double) {
        logger.report(
            .clockSetBack, at: .warning,
            "the machine's clock was set back; the service's own time goes on, a tenth slower, until the machine has caught up",
            ["seconds": "\(Int(lead))", "remedy": "Check the time synchronisation."])
    }
}
