import Foundation
import Loyalty
import Seeds
import Testing
import World

/// Random commands by random actors at random times. No command may break a rule, in any history.
@Suite struct InvariantTests {
    static let histories = 120
    static let stepsPerHistory = 400

    @Test("No rule breaks in any random history, and the histories reach every kind of event and rejection")
    func anyHistory() {
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
            #expect(reached[kind, default: 0] >= 5, "\(kind) occurred too rarely")
        }
    }

    /// One history, as long as `GREENTEA_STEPS` says. It consists of towns of ``stepsPerHistory`` commands each, one after the other in one
    /// growing log.
    @Test("No rule breaks in a long history, which drops the cards and people of earlier towns")
    func noRuleBreaksInALongHistory() {
        let steps = ProcessInfo.processInfo.environment["GREENTEA_STEPS"].flatMap { Int($0) } ?? 4_000
        var history = RandomHistory(seed: Seed.value &+ 1, comparesEvery: 16)
        var townsCards = 0
        for step in 0..<steps {
            let isTownOver = step > 0 && step % Self.stepsPerHistory == 0
            if let complaint = (isTownOver ? history.moveOn() : nil) ?? history.step() {
                Issue.record("GREENTEA_SEED=\(Seed.value) GREENTEA_STEPS=\(steps), step \(step): \(complaint)")
                return
            }
            if step == 3 * Self.stepsPerHistory { townsCards = history.cardsMost }
        }
        print(
            """
            GREENTEA_SEED=\(Seed.value) GREENTEA_STEPS=\(steps): \(history.world.position) events of \(history.judged) commands, \
            \(history.foreseen) verdicts foreseen, \(history.checks.count) rules checked \(history.checks.values.reduce(0, +)) times, \
            at most \(history.cardsMost) cards at once
            """)
        #expect(history.world.position > UInt64(steps / 8), "the history has too few events")
        #expect(history.checks.count > 100, "few rules were checked")
        #expect(townsCards == 0 || history.world.cards.count < 20 * townsCards, "cards and people of earlier towns are dropped")
        #expect(history.world.shops.count <= 6 && history.world.accounts.count <= 14, "cards and people of earlier towns are dropped")
    }

    @Test("The most stamps that can be taken back are the most that the command accepts, in any random history")
    func mostTakenBack() {
        var seeds = SeededRandom(seed: Seed.value)
        var (all, parts) = (0, 0)
        for number in 0..<30 {
            var history = RandomHistory(seed: seeds.next())
            for step in 1...Self.stepsPerHistory {
                _ = history.step()
                guard step % 40 == 0 else { continue }
                let (world, now) = (history.world, history.chaos.now)
                for code in world.codes.values where code.isUsed && code.issuedAt.advanced(bySeconds: 172_800) > now {
                    let accepted = mostAccepted(of: code.id, by: code.issuer, at: now, in: world)
                    var past = world
                    let most = ReverseStamp.most(of: code.id, by: code.issuer, at: now, in: &past)?.stamps
                    #expect(most == accepted, "GREENTEA_SEED=\(Seed.value), history \(number), step \(step), \(code.id)")
                    let given = past.uses(of: code.id).reduce(0) { $0 + $1.stamps }
                    if let most { (all, parts) = (all + 1, parts + (most < given ? 1 : 0)) }
                }
            }
        }
        #expect(all > 100 && parts > 0)
    }

    @Test("The same seed gives the same history, and another seed gives another")
    func sameSeed() {
        func world(_ seed: UInt64) -> World {
            var history = RandomHistory(seed: seed)
            for _ in 0..<200 { _ = history.step() }
            return history.world
        }
        #expect(world(Seed.value) == world(Seed.value))
        #expect(world(Seed.value) != world(Seed.value &+ 1))
    }
}
