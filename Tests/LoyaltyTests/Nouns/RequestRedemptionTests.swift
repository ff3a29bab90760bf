import Loyalty
import Testing

@Suite struct RequestRedemptionTests {
    @Test("The holder of a full card gets a redemption code that is valid for five minutes")
    func holderAsks() {
        Scenario.cardFull.when(Sample.request(), by: Sample.customer, at: Sample.after(60))
            .then(Sample.requested(expiresAt: Sample.after(360)))
    }

    @Test("A request for an unknown card or for another holder's card is not found")
    func onlyTheHolderAsks() {
        for actor in [Sample.owner, Sample.staff, Sample.stranger] {
            Scenario.cardFull.when(Sample.request(), by: actor).thenRejected(.notFound)
        }
        Scenario.cardFull.when(Sample.request(for: CardID(9)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A holder whom the shop has hired since cannot request a redemption")
    func hiredHolder() {
        Scenario.cardFull.employing(Sample.customer).when(Sample.request(), by: Sample.customer).thenRejected(.ownCampaign)
    }

    @Test("A redemption code is given only for a full card, not for a collecting, discarded or redeemed one")
    func onlyAFullCard() {
        let collecting = Scenario.running.given(Sample.opened(), Sample.stamped(9))
        collecting.when(Sample.request(), by: Sample.customer).thenRejected(.cardNotFull)
        Scenario.cardFull.given(Sample.discarded()).when(Sample.request(), by: Sample.customer).thenRejected(.cardNotFull)
        Scenario.redemptionShown.given(Sample.redeemed())
            .when(Sample.request(RedemptionID(51), secret: Secret(5)), by: Sample.customer).thenRejected(.cardNotFull)
    }

    @Test("A repeated request records nothing, even after its code has expired")
    func sameRequest() {
        Scenario.redemptionShown.when(Sample.request(), by: Sample.customer, at: Sample.after(9_999)).thenNothing()
    }

    /// A full card whose history has this many entries, because redemption codes were requested repeatedly at one time.
    private static func asked(entries: Int, at time: Instant = Sample.start) -> Scenario {
        let requests = (0..<entries - 2).map { Sample.requested(RedemptionID(UInt128(1_000 + $0)), secret: Secret(UInt128(9_000 + $0))) }
        return Scenario.cardFull.given(requests, at: time)
    }

    @Test("A card with a thousand entries in its history gets one code a day, and can still be redeemed")
    func longHistory() {
        let limit = Limits.requestedHistoryMax
        Self.asked(entries: limit - 1).when(Sample.request(), by: Sample.customer).thenAccepted()
        let long = Self.asked(entries: limit)
        long.when(Sample.request(), by: Sample.customer).thenRejected(.requestedTooOften(retryAfterSeconds: 86_400))
        long.when(Sample.request(), by: Sample.customer, at: Sample.after(86_399)).thenRejected(.requestedTooOften(retryAfterSeconds: 1))
        long.when(Sample.request(), by: Sample.customer, at: Sample.after(86_400)).thenAccepted()
        long.given(Sample.requested(), at: Sample.after(86_400))
            .when(Sample.request(RedemptionID(51), secret: Secret(5)), by: Sample.customer, at: Sample.after(86_401))
            .thenRejected(.requestedTooOften(retryAfterSeconds: 86_399))
    }

    @Test("A repeated request is answered whatever the history, and a request with a time in the future causes no wait")
    func longHistoryAgain() {
        Self.asked(entries: Limits.requestedHistoryMax - 1).given(Sample.requested())
            .when(Sample.request(), by: Sample.customer, at: Sample.after(1)).thenNothing()
        Self.asked(entries: Limits.requestedHistoryMax, at: Sample.afterDays(9)).when(Sample.request(), by: Sample.customer).thenAccepted()
    }

    @Test("A request with the id of another card's redemption is not found")
    func takenID() {
        let second = CardID(500)
        Scenario.cardFull.given(Sample.opened(second), Sample.stamped(10, on: second), Sample.requested(for: second))
            .when(Sample.request(secret: Secret(5)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A secret that another redemption has is rejected")
    func secretOnce() {
        Scenario.redemptionShown.when(Sample.request(RedemptionID(51)), by: Sample.customer).thenRejected(.secretTaken)
    }

    @Test("A request with a derivation attempt below 0 or above 255 is rejected")
    func attemptBound() {
        Scenario.cardFull.when(Sample.request(attempt: -1), by: Sample.customer).thenInvalid("attempt")
        Scenario.cardFull.when(Sample.request(attempt: 256), by: Sample.customer).thenInvalid("attempt")
    }

    @Test("A redemption of a full card can be requested after its campaign's end")
    func afterEnd() {
        Scenario.cardFull.given(Sample.ended()).when(Sample.request(), by: Sample.customer).thenAccepted()
        Scenario.cardFull.when(Sample.request(), by: Sample.customer, at: Sample.afterDays(900)).thenAccepted()
    }
}
