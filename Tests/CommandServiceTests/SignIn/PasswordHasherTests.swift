import BackgroundWork
import Caches
import EventLog
import Glibc
import Loyalty
import Patience
import ReadModels
import Testing

@testable import CommandService

/// Hashing cannot block the service: it has a few threads of its own and a short queue, and it drops requests whose client has
/// disconnected.
@Suite("Password hashing", .timeLimit(.minutes(5))) struct PasswordHasherTests {
    private let clock = HandClock()
    private let gate = ThreadSemaphore()

    private func hasher(running: Int, waiting: Int) -> PasswordHasher {
        PasswordHasher(
            cost: PasswordCost(log2N: 4), clock: clock, runningMax: running,
            waiting: PoolTerms("passwords", in: [], capacity: waiting, displaced: .newest, test: ""))
    }

    /// Gives the hasher work that blocks until the test opens the gate. Returns false if the hasher refused the work.
    private func blocked(_ hasher: PasswordHasher) async -> Bool {
        do throws(ServiceError) {
            try await hasher.run { [gate] in #expect(gate.wait(seconds: patienceSeconds)) }
            return true
        } catch {
            return false
        }
    }

    private func until(_ isSo: () -> Bool) async { while !isSo(), !Task.isCancelled { await Task.yield() } }

    @Test("Of sixty-four concurrent hashes two run, four wait, and fifty-eight are refused before any is computed")
    func bounds() async {
        let hasher = hasher(running: 2, waiting: 4)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { await blocked(hasher) } }
            for _ in 0..<58 { #expect(await group.next() == false) }
            #expect(hasher.counts == .init(running: 2, waiting: 4, computed: 0, dropped: 58))
            for _ in 0..<6 { gate.signal() }
            for _ in 0..<6 { #expect(await group.next() == true) }
        }
        #expect(hasher.counts == .init(running: 0, waiting: 0, computed: 6, dropped: 58))
    }

    @Test("The first hashes have a high niceness, and those that follow without a pause have the idle priority")
    func priority() async throws {
        let (hasher, normal) = (hasher(running: 1, waiting: Limits.passwordsBeforeIdle), sched_getscheduler(0))
        try #require(normal != LowPriority.idlePolicy && LowPriority.current < LowPriority.niceness)
        #expect(try await hasher.run { LowPriority.current } == LowPriority.niceness)
        await until { hasher.counts.running == 0 }
        // The first hash is computed only when all others wait, so that one thread computes all of them.
        let policies = await withTaskGroup(of: Int32?.self) { group in
            for _ in 0...Limits.passwordsBeforeIdle {
                group.addTask { [gate] in
                    try? await hasher.run {
                        _ = gate.wait(seconds: patienceSeconds)
                        return sched_getscheduler(0)
                    }
                }
            }
            await until { hasher.counts.waiting == Limits.passwordsBeforeIdle }
            for _ in 0...Limits.passwordsBeforeIdle { gate.signal() }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(policies.filter { $0 == normal }.count == Limits.passwordsBeforeIdle)
        #expect(policies.filter { $0 == LowPriority.idlePolicy }.count == 1)
    }

    @Test("Ten strangers at one address that fill the queue leave another address its place and the next turn")
    func crowd() async throws {
        let hasher = PasswordHasher(cost: PasswordCost(log2N: 4), clock: clock, runningMax: 1)
        func blocked(at address: UInt128) async -> Int? {
            await PoolClient.$current.withValue(PoolClient(PoolShare(address: address))) { await self.blocked(hasher) }
                ? hasher.counts.computed : nil
        }
        let most = try #require(ServicePools.passwords.terms.perAddress)
        let (crowd, other) = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<(most + 11) { group.addTask { await blocked(at: 1) } }
            await until { hasher.counts.waiting == most && hasher.counts.dropped == 10 }
            async let other = blocked(at: 2)
            await until { hasher.counts.waiting == most + 1 }
            for _ in 0..<(most + 2) { gate.signal() }
            return (await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }, await other)
        }
        #expect(crowd == most + 1 && other != nil)
    }

    @Test("A thread that hashes pauses regularly")
    func pauses() async throws {
        // Pauses are counted as voluntary context switches, which a thread that only computes does not have. 1 is `RUSAGE_THREAD` of
        // `<bits/resource.h>`, which the C library hides.
        let count = try await hasher(running: 1, waiting: 1).run {
            var (before, after, time) = (rusage(), rusage(), timespec())
            unsafe getrusage(1, &before)
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            let begin = time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
            while time.tv_sec * 1_000 + time.tv_nsec / 1_000_000 < begin + 200 { unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) }
            unsafe getrusage(1, &after)
            return after.ru_nvcsw - before.ru_nvcsw
        }
        // About one in four milliseconds, but on a busy machine most ticks meet threads of higher priority.
        #expect(count >= 5)
    }

    @Test("A hash whose sender has cancelled leaves the queue and is never computed")
    func abandoned() async throws {
        let hasher = hasher(running: 1, waiting: 8)
        let running = Task { await blocked(hasher) }
        await until { hasher.counts.running == 1 }
        let waiting = (0..<8).map { _ in Task { await blocked(hasher) } }
        await until { hasher.counts.waiting == 8 }
        for task in waiting { task.cancel() }
        for task in waiting { #expect(try await task.valueInTime() == false) }
        #expect(hasher.counts == .init(running: 1, waiting: 0, computed: 0, dropped: 8))
        gate.signal()
        #expect(try await running.valueInTime())
        #expect(hasher.counts.computed == 1)
    }

    @Test("A hash that was cancelled before it was queued is never computed")
    func cancelledBefore() async throws {
        let hasher = hasher(running: 1, waiting: 8)
        let running = Task { await blocked(hasher) }
        await until { hasher.counts.running == 1 }
        let late = Task {
            await until { Task.isCancelled }
            return await blocked(hasher)
        }
        late.cancel()
        #expect(try await late.valueInTime() == false)
        gate.signal()
        _ = try await running.valueInTime()
        #expect(hasher.counts == .init(running: 0, waiting: 0, computed: 1, dropped: 1))
    }

    @Test("A hash that has waited for five seconds is dropped and makes room for new ones")
    func deadline() async throws {
        let hasher = hasher(running: 1, waiting: 2)
        let running = Task { await blocked(hasher) }
        await until { hasher.counts.running == 1 }
        let old = (0..<2).map { _ in Task { await blocked(hasher) } }
        await until { hasher.counts.waiting == 2 }
        clock.move(bySeconds: 5)
        let new = Task { await blocked(hasher) }
        for task in old { #expect(try await task.valueInTime() == false) }
        await until { hasher.counts.waiting == 1 }
        for _ in 0..<2 { gate.signal() }
        #expect(try await running.valueInTime())
        #expect(try await new.valueInTime())
        #expect(hasher.counts == .init(running: 0, waiting: 0, computed: 2, dropped: 2))
    }

    @Test("A hash that has waited for five seconds is dropped, even if no other hash arrives or ends")
    func deadlineWithoutOthers() async throws {
        let hasher = hasher(running: 1, waiting: 2)
        let running = Task { await blocked(hasher) }
        await until { hasher.counts.running == 1 }
        let late = Task { await blocked(hasher) }
        await until { hasher.counts.waiting == 1 }
        clock.move(bySeconds: Limits.passwordWaitSecondsMax)
        #expect(try await late.valueInTime() == false)
        #expect(hasher.counts == .init(running: 1, waiting: 0, computed: 0, dropped: 1))
        gate.signal()
        #expect(try await running.valueInTime())
    }

    @Test("One core stays free for requests, and a machine with one core still hashes", arguments: [(1, 1), (2, 1), (4, 3), (64, 63)])
    func cores(_ cores: Int, _ threads: Int) {
        #expect(CommandService.Limits.passwordsAtOnce(cores: cores) == threads)
    }
}
