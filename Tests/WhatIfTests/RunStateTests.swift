import Loyalty
import Testing

@testable import WhatIf

/// The codes that a run of history keeps and drops.
@Suite struct RunStateTests {
    private static let start = Instant(microseconds: 1_700_000_000_000_000)
    /// The number of codes from which a run drops old ones.
    private static let many: UInt128 = 50_000

    private func issued(_ number: UInt128, at time: Instant) -> Fact {
        let event = CodeIssued(
            code: CodeID(number), campaign: CampaignID(1), shop: ShopID(1), secret: Secret(number), attempt: 0, stamps: 1,
            expiresAt: time.advanced(bySeconds: 600))
        return Fact(position: UInt64(number), time: time, actor: AccountID(1), event: .codeIssued(event))
    }

    private func stamped(_ number: UInt128, at time: Instant) -> Fact {
        let event = CardStamped(
            card: CardID(1), code: CodeID(number), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(2), stamps: 1)
        return Fact(position: UInt64(Self.many + number), time: time, actor: AccountID(2), event: .cardStamped(event))
    }

    @Test("A clock that is ahead for a moment makes a run drop neither open codes nor codes whose stamps can be reversed")
    func clockThatIsAhead() {
        var state = RunState(on: SharedState())
        let ahead = Self.start.advanced(bySeconds: 30 * 86_400)
        for number in 1...Self.many { _ = state.apply(issued(number, at: number == Self.many ? ahead : Self.start)) }
        #expect(state.unusedCode(CodeID(1)) != nil)
        for number in 1...Self.many { _ = state.apply(stamped(number, at: number == Self.many ? ahead : Self.start)) }
        #expect(state.code(CodeID(1)) != nil)
    }

    @Test("A run with many codes drops those that expired days ago")
    func expiredCodes() {
        var state = RunState(on: SharedState())
        for number in 1...Self.many { _ = state.apply(issued(number, at: Self.start.advanced(bySeconds: Int64(number) * 60))) }
        #expect(state.unusedCode(CodeID(1)) == nil && state.unusedCode(CodeID(Self.many)) != nil)
    }

    @Test("A run with many used codes drops those whose stamps can no longer be reversed")
    func usedCodes() {
        var state = RunState(on: SharedState())
        for number in 1...Self.many {
            let time = Self.start.advanced(bySeconds: Int64(number) * 60)
            for fact in [issued(number, at: time), stamped(number, at: time)] { _ = state.apply(fact) }
        }
        #expect(state.code(CodeID(1)) == nil && state.code(CodeID(Self.many)) != nil)
    }
}
