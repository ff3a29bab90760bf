import Synchronization
import Testing

@testable import EventLog

/// Tests the rules by which requests move from callers to the disk, step by step and without threads.
@Suite struct CommitPipelineTests {
    typealias Pipeline = CommitPipeline<Int, Int>

    /// A pipeline held by reference, so that `#expect` can contain a call that changes the pipeline.
    final class Rig {
        private var pipeline: Pipeline
        init(queueLimit: Int, batchMax: Int, confirmsAnswers: Bool = false) {
            pipeline = Pipeline(queueLimit: queueLimit, batchMax: batchMax, confirmsAnswers: confirmsAnswers)
        }
        var depth: Int { pipeline.depth }
        func offer(_ waiter: Pipeline.Waiter) -> Pipeline.Offer { pipeline.offer(waiter) }
        func stop() -> Bool { pipeline.stop() }
        func fail() -> [Pipeline.Resume]? { pipeline.fail()?.refusing }
        func nextForDecider() -> Pipeline.DeciderStep { pipeline.nextForDecider() }
        func demandFlush() -> Bool { pipeline.demandFlush() }
        func handOver(_ round: Pipeline.Sealed) -> Pipeline.Handover { pipeline.handOver(round) }
        func nextForCommitter() -> Pipeline.CommitterStep { pipeline.nextForCommitter() }
    }

    private func waiter(_ number: Int) -> Pipeline.Waiter { .init(request: number) { _ in } }

    /// Creates a sealed round. Its batch has `events` events, the first of them at position `first`.
    private func round(_ first: UInt64, events: Int, answers: [Int]) throws -> Pipeline.Sealed {
        var batch = EncodedBatch(first: Position(first))
        for _ in 0..<events { try batch.append(event(.opened, card(1))) }
        return .init(batch: batch, decided: answers.map { .init(answer: $0) { _ in } })
    }

    private func requests(_ step: Pipeline.DeciderStep) -> [Int]? {
        guard case .work(let waiters) = step else { return nil }
        return waiters.map(\.request)
    }

    private func committed(_ step: Pipeline.CommitterStep) -> [Int]? {
        guard case .commit(let rounds, _) = step else { return nil }
        return rounds.flatMap(\.decided).map(\.answer)
    }

    @Test("Requests are decided in the order of their arrival, at most a batch at a time")
    func requestsComeOutInTheOrderOfArrivalAndAtMostABatch() {
        let pipeline = Rig(queueLimit: 10, batchMax: 3)
        for number in 1...5 { #expect(pipeline.offer(waiter(number)) == .taken(wakesDecider: false)) }
        #expect(requests(pipeline.nextForDecider()) == [1, 2, 3])
        #expect(pipeline.depth == 5, "the depth includes requests that are being decided")
        #expect(requests(pipeline.nextForDecider()) == [4, 5])
    }

    @Test("Sealed rounds are flushed when the decider waits for them")
    func aDeciderThatStandsStillHasWhatIsSealedFlushed() throws {
        let pipeline = Rig(queueLimit: 1_000, batchMax: 500)
        for number in 0..<200 { _ = pipeline.offer(waiter(number)) }
        let first = try #require(requests(pipeline.nextForDecider()))
        for number in 200..<400 { _ = pipeline.offer(waiter(number)) }
        #expect(committed(pipeline.nextForCommitter()) == nil, "no round was handed over, so the committer sleeps")
        #expect(!pipeline.demandFlush(), "a demand wakes no thread if there is nothing to flush")
        let handover = pipeline.handOver(try round(1, events: first.count, answers: first))
        #expect(handover == .taken(wakesCommitter: false), "no flush begins while more requests wait than are decided")
        #expect(pipeline.demandFlush(), "a demand wakes the committer")
        #expect(committed(pipeline.nextForCommitter()) == first)
        for number in 400..<700 { _ = pipeline.offer(waiter(number)) }
        let second = try #require(requests(pipeline.nextForDecider()))
        _ = pipeline.handOver(try round(UInt64(first.count + 1), events: second.count, answers: second))
        for number in 700..<990 { _ = pipeline.offer(waiter(number)) }
        #expect(committed(pipeline.nextForCommitter()) == nil, "one demand causes only one flush")
    }

    @Test("A full queue refuses requests and keeps none of them")
    func aFullQueueRefusesAndKeepsNothingOfTheRefused() throws {
        let pipeline = Rig(queueLimit: 3, batchMax: 2)
        for number in 1...3 { _ = pipeline.offer(waiter(number)) }
        for number in 4...9 { #expect(pipeline.offer(waiter(number)) == .refused(.queueFull)) }
        #expect(requests(pipeline.nextForDecider()) == [1, 2])
        _ = pipeline.handOver(try round(1, events: 2, answers: [1, 2]))
        #expect(pipeline.depth == 3, "the depth includes decided requests that are not on disk")
        #expect(pipeline.offer(waiter(10)) == .refused(.queueFull))
        #expect(committed(pipeline.nextForCommitter()) == [1, 2])
        #expect(pipeline.offer(waiter(10)) == .taken(wakesDecider: false))
    }

    @Test("The decider is at most one batch ahead of the flush")
    func theDeciderRunsAheadOfTheFlushByOneBatch() throws {
        let pipeline = Rig(queueLimit: 100, batchMax: 2)
        for number in 1...6 { _ = pipeline.offer(waiter(number)) }
        #expect(requests(pipeline.nextForDecider()) == [1, 2])
        _ = pipeline.handOver(try round(1, events: 2, answers: [1, 2]))
        #expect(committed(pipeline.nextForCommitter()) == [1, 2])
        #expect(requests(pipeline.nextForDecider()) == [3, 4], "the next round is decided during the flush")
        _ = pipeline.handOver(try round(3, events: 2, answers: [3, 4]))
        guard case .sleep = pipeline.nextForDecider() else { return #expect(Bool(false), "the decider sleeps once a batch is ready") }
        guard case .commit(let rounds, let wakesDecider) = pipeline.nextForCommitter() else {
            return #expect(Bool(false), "the committer gets the ready batch")
        }
        #expect(rounds.count == 1 && wakesDecider, "the decider is woken, because there is room again")
        #expect(requests(pipeline.nextForDecider()) == [5, 6])
    }

    @Test("A flush waits until as many requests are decided as wait")
    func theFlushWaitsUntilAsManyAreDecidedAsWait() throws {
        let pipeline = Rig(queueLimit: 100, batchMax: 10)
        _ = pipeline.offer(waiter(1))
        _ = pipeline.nextForDecider()
        guard case .sleep = pipeline.nextForCommitter() else { return #expect(Bool(false)) }
        for number in 2...3 { _ = pipeline.offer(waiter(number)) }
        #expect(pipeline.handOver(try round(1, events: 1, answers: [1])) == .taken(wakesCommitter: false), "two requests still wait")
        #expect(requests(pipeline.nextForDecider()) == [2, 3])
        #expect(pipeline.handOver(try round(2, events: 2, answers: [2, 3])) == .taken(wakesCommitter: true))
        #expect(committed(pipeline.nextForCommitter()) == [1, 2, 3], "all three requests share a flush")
    }

    @Test("The flush of one half begins while the other half waits")
    func theFlushOfOneHalfBeginsWhileTheOtherWaits() throws {
        let half = LogLimits.roundRequestsMin
        let pipeline = Rig(queueLimit: 100, batchMax: 100)
        for number in 1...2 * half { _ = pipeline.offer(waiter(number)) }
        guard case .sleep = pipeline.nextForCommitter() else { return #expect(Bool(false)) }
        #expect(requests(pipeline.nextForDecider()) == Array(1...half))
        #expect(pipeline.handOver(try round(1, events: half, answers: Array(1...half))) == .taken(wakesCommitter: true))
        #expect(committed(pipeline.nextForCommitter()) == Array(1...half))
        #expect(requests(pipeline.nextForDecider()) == Array(half + 1...2 * half), "the other half is decided during the flush")
    }

    @Test(
        "A round takes half of the waiting requests, within its bounds",
        arguments: [(1, 1), (32, 32), (33, 32), (64, 32), (65, 33), (500, 250), (3_000, 1_024)])
    func aRoundIsHalfOfThoseWhoWaitWithinItsBounds(waiting: Int, decided: Int) {
        let pipeline = Rig(queueLimit: 4_096, batchMax: 1_024)
        for number in 1...waiting { _ = pipeline.offer(waiter(number)) }
        #expect(requests(pipeline.nextForDecider())?.count == decided)
    }

    @Test("An answer without events waits only for events that it may have seen")
    func answersWithoutEventsWaitOnlyForWhatTheyMayHaveSeen() throws {
        let pipeline = Rig(queueLimit: 100, batchMax: 10)
        #expect(pipeline.handOver(try round(1, events: 0, answers: [1])) == .needsNoCommit)
        _ = pipeline.handOver(try round(1, events: 1, answers: [2]))
        #expect(committed(pipeline.nextForCommitter()) == [2])
        #expect(pipeline.handOver(try round(2, events: 0, answers: [3])) == .taken(wakesCommitter: false), "a flush of request 2 runs")
        #expect(committed(pipeline.nextForCommitter()) == [3])
    }

    @Test("If another process could write, an answer without events waits for the committer, too")
    func answersWithoutEventsAreConfirmed() throws {
        let pipeline = Rig(queueLimit: 100, batchMax: 10, confirmsAnswers: true)
        _ = pipeline.offer(waiter(1))
        _ = pipeline.nextForDecider()
        guard case .sleep = pipeline.nextForCommitter() else { return #expect(Bool(false)) }
        #expect(pipeline.handOver(try round(1, events: 0, answers: [1])) == .taken(wakesCommitter: true))
        #expect(committed(pipeline.nextForCommitter()) == [1])
    }

    @Test("Stopping completes the waiting requests and refuses new ones")
    func stoppingFinishesWhatWaitsAndRefusesTheRest() throws {
        let pipeline = Rig(queueLimit: 100, batchMax: 10)
        _ = pipeline.offer(waiter(1))
        #expect(!pipeline.stop())
        #expect(pipeline.offer(waiter(2)) == .refused(.stopped))
        #expect(requests(pipeline.nextForDecider()) == [1])
        _ = pipeline.handOver(try round(1, events: 1, answers: [1]))
        guard case .end(let refusing, _) = pipeline.nextForDecider() else { return #expect(Bool(false)) }
        #expect(refusing.isEmpty)
        #expect(committed(pipeline.nextForCommitter()) == [1])
        guard case .end = pipeline.nextForCommitter() else { return #expect(Bool(false)) }
    }

    @Test("A failure refuses each request that is not on disk")
    func aFailureRefusesEverybodyWhoIsNotOnDisk() throws {
        let pipeline = Rig(queueLimit: 100, batchMax: 1)
        for number in 1...3 { _ = pipeline.offer(waiter(number)) }
        _ = pipeline.nextForDecider()
        _ = pipeline.handOver(try round(1, events: 1, answers: [1]))
        _ = pipeline.nextForCommitter()
        _ = pipeline.nextForDecider()
        _ = pipeline.handOver(try round(2, events: 1, answers: [2]))
        let failure = try #require(pipeline.fail())
        #expect(failure.count == 2, "request 2 was decided and 3 waits; the committer refuses request 1")
        let again = pipeline.fail() == nil
        #expect(again, "only the first failure returns requests to refuse")
        #expect(pipeline.offer(waiter(4)) == .refused(.stopped))
        #expect(pipeline.handOver(try round(3, events: 1, answers: [3])) == .failed)
        guard case .end = pipeline.nextForDecider() else { return #expect(Bool(false)) }
        guard case .end = pipeline.nextForCommitter() else { return #expect(Bool(false)) }
    }

    @Test("A sleeping thread is signalled once")
    func sleepersAreWokenOnce() throws {
        let pipeline = Rig(queueLimit: 100, batchMax: 10)
        guard case .sleep = pipeline.nextForDecider() else { return #expect(Bool(false)) }
        #expect(pipeline.offer(waiter(1)) == .taken(wakesDecider: true))
        #expect(pipeline.offer(waiter(2)) == .taken(wakesDecider: false))
        guard case .sleep = pipeline.nextForCommitter() else { return #expect(Bool(false)) }
        _ = pipeline.nextForDecider()
        #expect(pipeline.handOver(try round(1, events: 1, answers: [1])) == .taken(wakesCommitter: true))
        #expect(pipeline.handOver(try round(2, events: 1, answers: [2])) == .taken(wakesCommitter: false))
    }
}
