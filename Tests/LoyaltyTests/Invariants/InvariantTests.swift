import Foundation
import Loyalty
import Seeds
import Testing

/// Random commands by random actors at random times. No rule may be broken at any step of any history.
@Suite struct InvariantTests {
    static let histories = 120
    static let stepsPerHistory = 400

    @Test func noRuleBreaksInAnyHistory() {
        var seeds = SeededRandom(seed: Seed.value)
        var reached: [String: Int] = [:]
        for number in 0..<Self.histories {
            var history = RandomHistory(seed: seeds.next())
            for step in 0..<Self.stepsPerHistory {
                guard let complaint = history.step() else { continue }
                Issue.record("GREENTEA_SEED=\(Seed.value), history \(number), step \(step): \(complaint)")
                return
            }
            reached.merge(history.reached, uniquingKeysWith: +)
        }
        let isLoud = ProcessInfo.processInfo.environment["GREENTEA_LOUD"] != nil
        // A generator that reaches few kinds of events and rejections would prove nothing.
        for kind in RandomHistory.kinds {
            if isLoud { print("GREENTEA_SEED: \(kind) \(reached[kind, default: 0])") }
            #expect(reached[kind, default: 0] >= 5, "\(kind) came about too rarely")
        }
    }

    @Test func theSameSeedTellsTheSameHistory() {
        func world(_ seed: UInt64) -> World {
            var history = RandomHistory(seed: seed)
            for _ in 0..<200 { _ = history.step() }
            return history.world
        }
        #expect(world(Seed.value) == world(Seed.value))
        #expect(world(Seed.value) != world(Seed.value &+ 1))
    }
}
