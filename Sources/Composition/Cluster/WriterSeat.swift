internal import CommandService
internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// The parts that only the writer of a log has: they decide, record what is due, and remember the requests that added no event.
final class WriterSeat: Sendable {
    let writer: GroupCommit<CommandDecider>
    let scheduler: Scheduler
    let idle: IdleRequests

    init(
        _ log: EventLog, _ models: ReadModels, clock: ForwardClock, randomness: any Randomness, queueLimit: Int, cachedEntitiesMax: Int,
        idle: IdleRequests, timers: DeciderTimers, _ failStop: FailStop, _ found: FoundDamage
    ) {
        self.idle = idle
        writer = GroupCommit(log: log, queueLimit: queueLimit, onFailure: { failStop.trip(WriterEnd($0)) }) { appender in
            CommandDecider(appender, clock: clock, cachedEntitiesMax: cachedEntitiesMax, idle: idle, timers: timers)
        }
        let newNotice: @Sendable () -> NoticeID = {
            NoticeID(UUIDv7.make(at: clock.now(), random: (randomness.next(), randomness.next())))
        }
        scheduler = Scheduler(models, clock: clock, newNotice: newNotice) { [writer] submission, resume in
            if found.refusesEvents { return resume(.failure(.stopped)) }
            writer.offer(submission, resume: resume)
        }
    }

    /// - Parameter duePeriodSeconds: between two passes of the scheduler; nil for none.
    func start(duePeriodSeconds: Double?) {
        writer.start()
        if let duePeriodSeconds { scheduler.start(periodSeconds: duePeriodSeconds) }
    }

    /// Finishes waiting commands. Blocks. The scheduler stops first, because its commands wait for the writer.
    @available(*, noasync)
    func stop() {
        scheduler.stop()
        writer.stop()
        idle.close()
    }
}
