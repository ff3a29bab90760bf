import Composition
import EventLog
import Prometheus
import Testing
import TextMessages

@testable import HTTPAPI

/// Warnings about the machine appear before a limit is reached. Readiness fails only if nothing can be stored.
@Suite("Surroundings", .timeLimit(.minutes(15)))
struct SystemStateTests {
    private func codes(_ change: (inout SystemState) -> Void) -> [String] {
        var state = SystemState(
            openDescriptors: 79, descriptorsMax: 100, diskFreeBytes: 50 << 30, diskBytes: 1_000 << 30, clockLeadSeconds: 1.9, now: 1_000,
            certificateEnd: 1_000 + 14 * 86_400)
        change(&state)
        return state.warnings.map(\.code)
    }

    @Test("Each figure warns at its limit and not before")
    func warnings() {
        #expect(codes { _ in } == [])
        #expect(codes { $0.openDescriptors = 80 } == ["descriptorsNearlyUsed"])
        #expect(codes { $0.diskFreeBytes = (50 << 30) - 1 } == ["diskNearlyFull"])
        #expect(codes { $0.clockLeadSeconds = 2 } == ["clockSetBack"])
        let threeDays = SystemState(clockLeadSeconds: 3 * 86_400).warnings.map(\.remedy).joined()
        #expect(threeDays.contains("in 720 hours") && threeDays.contains("restart the service"), "\(threeDays)")
        let seconds = SystemState(clockLeadSeconds: 30).warnings.map(\.remedy).joined()
        #expect(seconds.contains("less than an hour") && !seconds.contains("restart the service"), "\(seconds)")
        #expect(codes { $0.schedulerSilentSeconds = 60 } == ["schedulerSilent"])
        #expect(codes { $0.schedulerFailure = ("refused", 59.9) } == [])
        #expect(codes { $0.schedulerFailure = ("refused", 60) } == ["dueNotRecorded"])
        #expect(codes { $0.now += 1 } == ["certificateExpires"])
        #expect(codes { $0.messageFailure = .failed } == ["textMessagesFail"])
        #expect(codes { $0.unprintable = "茶" } == ["fontsMissing"])
        func silent(_ seconds: Double) -> FollowingStatus { .init(url: "https://tea-1", lag: 3, silentSeconds: seconds, failure: nil) }
        #expect(codes { $0.following = silent(14.9) } == [])
        #expect(codes { $0.following = silent(15) } == ["leaderSilent"])
        #expect(codes { $0 = SystemState() } == [], "unknown figures give no warning")
    }

    @Test("A clock that is set ahead while the service runs is a warning and a figure, until it is set right; time that passes is neither")
    func clockAhead() async throws {
        try await onStage { stage, visitor in
            func shown() async throws -> [String] {
                let lines = try await visitor.get("/metrics").text.split(separator: "\n").map(String.init)
                let codes = try await visitor.get("/readyz").json["warnings"]?.items?.compactMap { $0["code"]?.string } ?? []
                return codes.filter { $0.hasPrefix("clock") } + lines.filter { $0.hasPrefix("greentea_clock_gain_seconds ") }
            }
            stage.clock.advance(seconds: 5 * 86_400)
            let passed = try await shown()
            #expect(passed == ["greentea_clock_gain_seconds 0"])
            stage.clock.set(bySeconds: 3_599)
            #expect(try await shown() == ["greentea_clock_gain_seconds 3599"])
            stage.clock.set(bySeconds: 1)
            #expect(try await shown() == ["clockSetAhead", "greentea_clock_gain_seconds 3600"])
            stage.clock.set(bySeconds: -3_600)
            #expect(try await shown() == ["clockSetBack", "greentea_clock_gain_seconds 0"])
        }
    }

    /// A sender of text messages. The first letter of the phone number decides the outcome.
    private struct Gateway: TextMessageSender {
        func send(_ message: TextMessage) async throws {
            switch message.phone.first {
            case "r": throw TextMessageError.refused(status: 400)
            case "u": throw TextMessageError.unreachable(attempts: 3, reason: "status 502")
            case "f": throw CancellationError()
            default: return
            }
        }

        func close() async throws {}
    }

    @Test("A refused number is no fault of the service; three in a row, and a gateway that is not reached, are")
    func refusedNumbers() async {
        let sender = CountedSender(Gateway(), PrometheusRegistry())
        func failure(after phones: String...) async -> CountedSender.Result? {
            for phone in phones { try? await sender.send(TextMessage(id: "1", phone: phone, text: "")) }
            return sender.failure
        }
        #expect(await failure() == nil)
        #expect(await failure(after: "r1") == nil)
        #expect(await failure(after: "r1", "r1", "r2") == nil, "two numbers")
        #expect(await failure(after: "r3") == .refused)
        #expect(await failure(after: "well") == nil)
        #expect(await failure(after: "r1", "r2") == nil, "a message that left ends the row")
        #expect(await failure(after: "u1") == .unreachable)
        #expect(await failure(after: "r3") == .refused)
        #expect(await failure(after: "f1") == .failed)
        #expect(await failure(after: "well") == nil)
    }

    @Test("A full disk is a reason, a nearly full one is not")
    func fullDisk() throws {
        func answer(free: Int64) throws -> (isReady: Bool, JSONValue) {
            let system = SystemState(diskFreeBytes: free, diskBytes: 1 << 30)
            let answer = ReadinessAnswer(
                head: Position(9), isWriting: true, isSigning: true, waitingCommands: 0, models: [], system: system, version: "1.2.3")
            var json = JSONWriter()
            answer.write(to: &json)
            return (answer.isReady, try JSONValue(json.bytes))
        }
        let (isReady, nearly) = try answer(free: 1 << 20)
        #expect(isReady && nearly["warnings"]?[0]?["code"] == .string("diskNearlyFull") && nearly["version"] == .string("1.2.3"))
        let (isStillReady, full) = try answer(free: (1 << 20) - 1)
        #expect(!isStillReady && full["reasons"]?[0]?["code"] == .string("diskFull"))
    }

    @Test("The lag of a model begins with the first sample in which the log has an event that the model does not show")
    func lag() {
        var looks = LagLooks()
        let start = ContinuousClock.now
        func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
        looks.add(Position(10), at: at(0), lowest: Position(10))
        #expect(looks.seconds(behindOf: Position(10), at: at(5)) == 0)
        looks.add(Position(20), at: at(15), lowest: Position(10))
        #expect(looks.seconds(behindOf: Position(10), at: at(15)) == 0)
        looks.add(Position(30), at: at(30), lowest: Position(10))
        #expect(looks.seconds(behindOf: Position(10), at: at(30)) == 15)
        #expect(looks.seconds(behindOf: Position(20), at: at(40)) == 10 && looks.seconds(behindOf: Position(30), at: at(40)) == 0)
        looks.add(Position(30), at: at(45), lowest: Position(20))
        #expect(looks.seconds(behindOf: Position(20), at: at(45)) == 15, "samples that all models have reached are forgotten")
        for second in 0..<1_000 { looks.add(Position(UInt64(40 + second)), at: at(60 + second), lowest: Position(20)) }
        #expect(looks.seconds(behindOf: Position(20), at: at(2_000)) == 1_970, "the number of samples is bounded, and the oldest stays")
    }

    @Test("The metric of a total that is counted elsewhere never decreases")
    func totals() {
        let registry = PrometheusRegistry()
        for total in [2.5, 4, 3] { registry.count("seconds_total", upTo: total) }
        #expect(registry.text.contains("seconds_total 4\n"))
    }
}
