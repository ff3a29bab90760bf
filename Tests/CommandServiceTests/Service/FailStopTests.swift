import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import SharedLogs
import Synchronization
import Testing
import World

@testable import CommandService
@testable import Composition

/// A commit with an unknown outcome: no client gets a result, nothing more is written, and the next start finds the outcome.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct FailStopTests {
    @Test(
        "No client gets a result from a failed commit, and retries after a restart find the true outcome",
        arguments: [
            (DurabilityKind.local, StagedDurability.Fault.beforeCommit), (.local, .afterCommit), (.sharedWithFaults, .beforeCommit),
            (.sharedWithFaults, .betweenCommits), (.sharedWithFaults, .afterCommit),
        ])
    func failedCommit(over kind: DurabilityKind, _ fault: StagedDurability.Fault) async throws {
        let durability = StagedDurability()
        let site = try Site(over: kind, around: durability)
        let shop = try await TeaShop.open(on: site.service)
        let guests = try await concurrently(20) { [service = site.service] in try await customer($0, on: service) }
        let codes = try await concurrently(20) { [service = site.service] _ in try await shop.code(on: service) }
        let head = site.service.log.head

        try await stampAndFail(guests, codes, fault, durability, on: site.service)
        #expect(site.service.log.head == head, "no event of the failed batch is shown")
        #expect(site.service.failure?.contains("is gone") == true)
        let end = await site.service.awaitFailure()
        #expect(end?.reason == site.service.failure && end?.storedNothing == false, "a commit that threw may have stored the batch")
        let later = await outcome(of: try await site.service.stamp(codes[0], by: guests[0]))
        #expect(later == .failure(.stopping))

        try site.reopen()
        #expect(site.service.failure == nil)
        try await expectTruth(after: fault, guests, codes, on: site.service)
        let world = try world(of: site.service)
        #expect(world.cards.values.reduce(0) { $0 + $1.stamps } == 20)
        #expect(world.codes.values.filter(\.isUsed).count == 20)
        try site.expectSameShared()
    }

    /// Submits 20 stamps. The first is in the failing batch and the others are still queued, and all of them get the same error.
    private func stampAndFail(
        _ guests: [Caller], _ codes: [TypedCode], _ fault: StagedDurability.Fault, _ durability: StagedDurability, on service: GreenTea
    ) async throws {
        durability.shut()
        let first = Task {
            await outcome(of: try await service.stamp(codes[0], by: guests[0].under("k0", on: service)))
        }
        try await durability.writerArrived()
        let rest = Task {
            try await concurrently(19) { number in
                let caller = guests[number + 1].under("k\(number + 1)", on: service)
                return await outcome(of: try await service.stamp(codes[number + 1], by: caller))
            }
        }
        try await eventually("all commands wait in the queue") { service.queueDepth == 19 }
        durability.fail(fault)
        let waiting = Task { await service.awaitFailure() }
        durability.open()
        let outcomes = [try await first.valueInTime()] + (try await rest.valueInTime())
        #expect(outcomes.allSatisfy { $0 == .failure(.stopping) }, "no sender gets a result")
        #expect(try await waiting.valueInTime()?.reason.contains("is gone") == true)
    }

    /// Retries every stamp with its idempotency key. Only the first stamp may be stored already, and only if the failure came after a
    /// commit: a start takes over what only the shared log has.
    private func expectTruth(
        after fault: StagedDurability.Fault, _ guests: [Caller], _ codes: [TypedCode], on service: GreenTea
    ) async throws {
        for number in guests.indices {
            let caller = guests[number].under("k\(number)", on: service)
            let answer = try await service.stamp(codes[number], by: caller)
            #expect(answer.isReplay == (number == 0 && fault != .beforeCommit))
            #expect(answer.cards.first?.stamps == 1)
            #expect(try await service.stamp(codes[number], by: caller).isReplay)
        }
    }

    @Test("A wait for a failure ends when its task is cancelled")
    func cancelledWait() async throws {
        let failStop = FailStop()
        let waiting = Task { await failStop.wait() }
        try await eventually("the task waits") { failStop.waiterCount == 1 }
        waiting.cancel()
        #expect(try await waiting.valueInTime() == nil)
    }

    @Test("A service that is closed answers queued commands and refuses later ones")
    func closing() async throws {
        let durability = StagedDurability()
        let site = try Site(durability: durability)
        let shop = try await TeaShop.open(on: site.service)
        durability.shut()
        let first = Task { [service = site.service] in try await shop.code(on: service) }
        try await durability.writerArrived()
        let codes = Task { [service = site.service] in try await concurrently(99) { _ in try await shop.code(on: service) } }
        try await eventually("all commands wait in the queue") { site.service.queueDepth == 99 }
        durability.open()
        try close(site.service)
        _ = try await first.valueInTime()
        #expect(Set(try await codes.valueInTime()).count == 99)
        await #expect(throws: ServiceError.stopping) { try await shop.code(on: site.service) }
    }

    private func close(_ service: GreenTea) throws { try service.close() }
}

extension FailStop {
    /// The number of tasks that wait until the writer has failed.
    fileprivate var waiterCount: Int { state.withLock { $0.waiters.count } }
}
