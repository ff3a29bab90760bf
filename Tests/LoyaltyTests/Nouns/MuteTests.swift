import Loyalty
import Testing

/// Customers decide which shops may send them notices.
@Suite struct MuteTests {
    @Test("A second mute of a shop changes nothing, nor does a second end of the mute")
    func turns() {
        let muted = Scenario.running.when(Sample.mute(), by: Sample.customer).then(Sample.muted())
        let heard = muted.when(Sample.unmute(), by: Sample.customer).then(Sample.unmuted())
        heard.when(Sample.unmute(), by: Sample.customer).thenNothing()
        heard.when(Sample.mute(), by: Sample.customer).then(Sample.muted())
    }

    @Test("A mute concerns one account and one shop")
    func apart() {
        let muted = Scenario.running.given(Sample.muted())
        muted.when(Sample.unmute(), by: Sample.stranger).thenNothing()
        muted.when(Sample.mute(Sample.rivalShop), by: Sample.customer).then(Sample.muted(Sample.rivalShop))
        Scenario.running.when(Sample.mute(ShopID(19)), by: Sample.customer).thenRejected(.notFound)
        Scenario.running.when(Sample.unmute(ShopID(19)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("Muted stretches contain the positions between a mute and its end")
    func stretches() {
        var stretches = MutedStretches()
        stretches.unmute(at: 1)
        #expect(stretches == MutedStretches() && !stretches.isMuted)
        stretches.mute(at: 5)
        stretches.mute(at: 6)
        #expect(stretches.isMuted && !stretches.contains(5) && stretches.contains(6) && stretches.contains(1_000))
        stretches.unmute(at: 9)
        #expect(!stretches.isMuted && stretches.contains(8) && !stretches.contains(9) && !stretches.contains(10))
        stretches.mute(at: 20)
        stretches.unmute(at: 21)
        #expect(stretches.stretches.count == 2)
        stretches.dropLast()
        #expect(stretches.stretches == [.init(after: 5, before: 9)])
    }
}
