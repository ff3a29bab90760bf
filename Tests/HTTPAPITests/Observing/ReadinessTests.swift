import EventLog
import Testing

@testable import HTTPAPI
@testable import Projections
@testable import ReadModels

@Suite("Readiness")
struct ReadinessTests {
    private func model(
        lag: UInt64 = 0, failure: ReadModelError? = nil, renewalFailure: ReadModelError? = nil, built: BuildReason? = nil
    ) -> ModelStatus {
        ModelStatus(
            name: "cards", position: Position(9), lag: lag, failure: failure, built: built, generation: "v1-g1",
            renewalFailure: renewalFailure)
    }

    private func answer(isWriting: Bool = true, isSigning: Bool = true, _ model: ModelStatus) throws -> (Bool, JSONValue) {
        let answer = ReadinessAnswer(head: Position(9), isWriting: isWriting, isSigning: isSigning, waitingCommands: 3, models: [model])
        var json = JSONWriter()
        answer.write(to: &json)
        return (answer.isReady, try JSONValue(json.bytes))
    }

    @Test("A service whose model is at the lag limit is ready")
    func ready() throws {
        let (isReady, json) = try answer(model(lag: 10_000))
        #expect(isReady && json["status"] == .string("ready") && json["reasons"] == .array([]))
    }

    @Test("Every fault is listed as a reason, without internal details")
    func reasons() throws {
        let failure = ReadModelError(.damaged, model: "cards", "page 7 of /data is torn")
        let (isReady, json) = try answer(isWriting: false, isSigning: false, model(lag: 20_000, failure: failure))
        #expect(!isReady && json["status"] == .string("notReady"))
        let reasons = try #require(json["reasons"]?.items)
        try #require(reasons.map { $0["code"]?.string } == ["writerStopped", "checkpointFailing", "modelStopped"])
        #expect(reasons[2]["model"] == .string("cards") && reasons[0]["model"] == .null)
        #expect(!"\(json)".contains("torn"))
    }

    @Test("A model that contradicts the log is listed as a mismatch")
    func mismatch() throws {
        let answer = ReadinessAnswer(
            head: Position(9), isWriting: true, isSigning: true, waitingCommands: 0, models: [model()], mismatches: ["cards"])
        var json = JSONWriter()
        answer.write(to: &json)
        #expect(!answer.isReady)
        let reasons = try JSONValue(json.bytes)["reasons"]?.items
        #expect(reasons == [.object(["code": .string("modelMismatch"), "model": .string("cards")])])
    }

    @Test("A model that cannot be rebuilt is reported with its cause and remedy, and the service stays ready")
    func notRenewed() throws {
        let failure = ReadModelError(.eventRefused, model: "cards", position: Position(7), eventType: "CardStamped", "/data is torn")
        let (isReady, json) = try answer(model(renewalFailure: failure))
        #expect(isReady && json["status"] == .string("ready"))
        let warning = try #require(json["warnings"]?[0])
        #expect(warning["code"] == .string("modelNotRenewed") && warning["model"] == .string("cards"))
        #expect(warning["map"] == .null)
        #expect(warning["cause"] == .string("eventRefused") && warning["event"] == .string("CardStamped"))
        #expect(warning["position"] == .number(7) && warning["remedy"] == .string(failure.remedy))
        #expect(json["models"]?[0]?["stale"] == .bool(true) && !"\(json)".contains("torn"))
        let (_, fresh) = try answer(model())
        #expect(fresh["warnings"] == .array([]) && fresh["models"]?[0]?["stale"] == .bool(false))
    }

    @Test("A map that is nearly full is a warning that names the setting to raise, and the service stays ready")
    func nearlyFull() throws {
        let maps = [
            MapUsage(name: "log", usedBytes: 71, limitBytes: 100, setting: "--log-map-gib"),
            MapUsage(name: "keys", usedBytes: 69, limitBytes: 100, setting: "--keys-map-gib"),
        ]
        let answer = ReadinessAnswer(
            head: Position(9), isWriting: true, isSigning: true, waitingCommands: 0, models: [model()], maps: maps)
        var json = JSONWriter()
        answer.write(to: &json)
        let warnings = try #require(try JSONValue(json.bytes)["warnings"]?.items)
        #expect(answer.isReady)
        try #require(warnings.count == 1)
        #expect(warnings[0]["code"] == .string("mapNearlyFull") && warnings[0]["map"] == .string("log"))
        #expect(warnings[0]["cause"] == .string("71 % of 100 bytes") && warnings[0]["model"] == .null)
        #expect(warnings[0]["remedy"]?.string?.contains("--log-map-gib") == true)
    }

    @Test(
        "Only a model that the start builds carries its position, by which a build that stalls is found",
        arguments: [nil, BuildReason.missing])
    func built(_ reason: BuildReason?) {
        let answer = ReadinessAnswer(
            head: Position(9), isWriting: true, isSigning: true, waitingCommands: 0, models: [model(lag: 10_001, built: reason)])
        #expect(answer.faults.map(\.buildPosition) == [reason == nil ? nil : 9])
    }

    @Test("A model beyond the lag limit makes the service not ready")
    func behind() throws {
        let (isReady, json) = try answer(model(lag: 10_001))
        #expect(!isReady)
        #expect(json["reasons"]?[0] == .object(["code": .string("modelBehind"), "model": .string("cards")]))
    }
}
