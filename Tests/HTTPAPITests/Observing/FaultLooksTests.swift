import Testing

@testable import HTTPAPI

/// Faults reported by `/readyz`, which appear and disappear.
@Suite struct FaultLooksTests {
    private let full = ServiceFault(code: "diskFull", subject: nil, isReason: true)
    private let map = ServiceFault(code: "mapNearlyFull", subject: "log", isReason: false)

    @Test("Each condition is told once when it appears and once when it has gone, with its length")
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

    @Test("A model that a start builds is expected to be behind for as long as it makes progress")
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

    @Test("A model that falls behind long after the start, or that no start builds, is not expected to be")
    func notExpected() {
        var looks = FaultLooks()
        let start = ContinuousClock.now
        #expect(looks.look(at: [building(nil)], now: start).map(\.isExpected) == [false])
        #expect(looks.look(at: [], now: start).count == 1)
        #expect(looks.look(at: [building(7)], now: start + .seconds(31)).map(\.isExpected) == [false])
    }

    @Test("The same fault of another model is a condition of its own")
    func subjects() {
        var looks = FaultLooks()
        let faults = ["cards", "ratings"].map { ServiceFault(code: "modelStopped", subject: $0, isReason: true) }
        #expect(looks.look(at: [faults[0]], now: .now).count == 1)
        #expect(looks.look(at: faults, now: .now).map(\.fault) == [faults[1]])
    }
}
