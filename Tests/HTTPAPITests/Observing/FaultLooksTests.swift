import Testing

@testable import HTTPAPI

/// Tests the reports of faults that `/readyz` names, when they appear and when they disappear.
@Suite struct FaultLooksTests {
    private let full = ServiceFault(code: "diskFull", subject: nil, isReason: true)
    private let map = ServiceFault(code: "mapNearlyFull", subject: "log", isReason: false)

    @Test("Each condition is reported once when it appears, and once with its duration when it has gone")
    func looks() {
        var looks = FaultLooks()
        let start = ContinuousClock.now
        #expect(looks.look(at: [], now: start).isEmpty)
        #expect(looks.look(at: [map, full], now: start).map(\.fault) == [full, map])
        #expect(looks.look(at: [map, full], now: start + .seconds(5)).isEmpty)
        let gone = looks.look(at: [map], now: start + .seconds(7))
        #expect(gone == [FaultLooks.News(fault: full, seconds: 7)])
        let again = looks.look(at: [full], now: start + .seconds(9))
        #expect(again == [FaultLooks.News(fault: map, seconds: 9), FaultLooks.News(fault: full, seconds: nil)])
    }

    private func building(_ position: UInt64?) -> ServiceFault {
        ServiceFault(code: "modelBehind", subject: "cards", isReason: true, buildPosition: position)
    }

    @Test("If a start builds a model, the model's lag is reported as expected for as long as the build makes progress")
    func firstBuild() {
        var looks = FaultLooks()
        let start = ContinuousClock.now
        #expect(looks.look(at: [building(0)], now: start).map(\.isExpected) == [true])
        #expect(looks.look(at: [building(1)], now: start + .seconds(60)).isEmpty)
        #expect(looks.look(at: [building(2)], now: start + .seconds(120)).isEmpty)
        #expect(looks.look(at: [building(2)], now: start + .seconds(180)).isEmpty)
        let stalled = looks.look(at: [building(2)], now: start + .seconds(181))
        #expect(stalled == [FaultLooks.News(fault: building(2), seconds: nil)])
        #expect(looks.look(at: [building(2)], now: start + .seconds(300)).isEmpty)
        #expect(looks.look(at: [], now: start + .seconds(301)) == [FaultLooks.News(fault: building(2), seconds: 301)])
    }

    @Test("The lag of a model is not reported as expected if it begins long after the start, or if no start builds the model")
    func notExpected() {
        var looks = FaultLooks()
        let start = ContinuousClock.now
        #expect(looks.look(at: [building(nil)], now: start).map(\.isExpected) == [false])
        #expect(looks.look(at: [], now: start).count == 1)
        #expect(looks.look(at: [building(7)], now: start + .seconds(31)).map(\.isExpected) == [false])
    }

    @Test("The same fault of two models is two conditions")
    func subjects() {
        var looks = FaultLooks()
        let faults = ["cards", "ratings"].map { ServiceFault(code: "modelStopped", subject: $0, isReason: true) }
        #expect(looks.look(at: [faults[0]], now: .now).count == 1)
        #expect(looks.look(at: faults, now: .now).map(\.fault) == [faults[1]])
    }
}
