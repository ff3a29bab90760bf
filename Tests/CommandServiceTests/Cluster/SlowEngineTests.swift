import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import SharedLogs
import Testing

@testable import CommandService
@testable import Composition

/// A writer whose shared log answers late or not at all.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct SlowEngineTests {
    @Test("A session whose end takes too long to answer ends all the same")
    func lateSessionEnd() async throws {
        let cluster = try TestCluster()
        _ = try await cluster.begin()
        let a = cluster.a
        let session = try await a.service.signIn(phone(1)).session
        try await cluster.settle()
        let held = try cluster.holdWriter()
        defer { held.release() }
        let seen = SeenActs()
        a.service.sessionEndings.add { seen.note(ended: $0) }
        await #expect(throws: ServiceError.writerUnavailable) { try await a.end(session) }
        #expect(seen.ended.isEmpty)
        held.release()
        try await eventually("the session has ended") { seen.ended == [session] }
    }

    @Test("The writer destroys an erased account's key also if the erasure takes too long to answer")
    func lateErasure() async throws {
        let cluster = try TestCluster()
        let (_, guest, _) = try await cluster.begin()
        try await cluster.settle()
        let (a, held) = (cluster.a, try cluster.holdWriter())
        defer { held.release() }
        let keyStore = a.service.keyStore
        await #expect(throws: ServiceError.writerUnavailable) { try await a.service.eraseAccount(by: guest) }
        #expect(try keyStore.key(of: guest.account) != nil)
        held.release()
        try await eventually("the key is destroyed") { try keyStore.key(of: guest.account) == nil }
    }

    @Test("A writer whose shared log gives no answer stops, although something due waits for it")
    func silentStop() async throws {
        let cluster = try TestCluster()
        let (_, guest, _) = try await cluster.begin()
        try await cluster.settle()
        let a = cluster.a
        try a.close()
        try a.open(duePeriodSeconds: 0.01)
        a.step()
        let seat = try #require(a.service.place.writer)
        let day: Int64 = 86_400
        let at = a.service.clock.now().advanced(bySeconds: day)
        _ = try await a.service.postNotice(title: "Tea", text: "Come.", to: .all, publishAt: at, by: guest)
        cluster.engine.goDown()
        let sent = cluster.engine.requests
        cluster.moveClock(bySeconds: day)
        try await eventually("the notice is offered") { cluster.engine.requests > sent }
        let stopping = Task { try await blocking { seat.stop() } }
        try await stopping.valueInTime()
        #expect(a.service.failure?.contains("unreachable") == true)
    }

    @Test("A command whose outcome takes too long is answered without it, and its retry gets the outcome")
    func slowOutcome() async throws {
        let cluster = try TestCluster()
        let a = cluster.a
        let (_, guest, code) = try await cluster.begin()
        try await cluster.settle()
        let held = try cluster.holdWriter()
        defer { held.release() }
        #expect(await a.stamp(code, by: guest) == .failure(.writerUnavailable))
        held.release()
        var again: Result<Acceptance, ServiceError>
        repeat { again = await a.stamp(code, by: guest) } while again == .failure(.writerUnavailable)
        #expect(try again.get().isReplay)
        #expect(try again.get().cards.first?.stamps == 1)
    }

    @Test("A number stays locked until the outcome of the request for it is known")
    func lockedNumber() async throws {
        let cluster = try TestCluster()
        let a = cluster.a
        cluster.meet()
        let account = try await a.service.register(phone(1)).id
        try await cluster.settle()
        let held = try cluster.holdWriter()
        defer { held.release() }
        let service = a.service
        func request() async throws {
            _ = try await service.requestPhoneChange(of: account, to: phone(2), reason: "Stolen", by: Caller(account: account))
        }
        await #expect(throws: ServiceError.writerUnavailable) { try await request() }
        await #expect(throws: ServiceError.overloaded) { try await service.register(phone(2)) }
        held.release()
        var refusal: ServiceError? = .overloaded
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        while refusal == .overloaded, ContinuousClock.now < deadline {
            await Task.yield()
            do throws(ServiceError) {
                _ = try await service.register(phone(2))
                refusal = nil
            } catch { refusal = error }
        }
        #expect(refusal == .rejected(.passwordNotValid))
        #expect(try service.comingPhone(of: #require(try service.reading { try $0.account(account) }))?.number == phone(2).text)
    }
}
