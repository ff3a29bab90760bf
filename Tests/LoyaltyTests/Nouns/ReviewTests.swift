import Loyalty
import Testing

@Suite struct ReviewTests {
    private let text = Sealed([1, 2, 3])

    @Test func aCustomerRatesWritesOrBoth() {
        Scenario.running.when(Sample.review(), by: Sample.customer).then(Sample.reviewed())
        Scenario.running.when(Sample.review(rating: nil, text: text), by: Sample.customer)
            .then(Sample.reviewed(rating: nil, text: text))
        Scenario.running.when(Sample.review(rating: 1, text: text), by: Sample.customer)
            .then(Sample.reviewed(rating: 1, text: text))
    }

    @Test func atLeastOneOfThem() {
        Scenario.running.when(Sample.review(rating: nil, text: nil), by: Sample.customer)
            .thenRejected(.invalid([InvalidField(field: "text", fault: .ratingOrText)]))
    }

    @Test(arguments: [0, 6, -1, Int.max])
    func aRatingIsOneToFive(_ rating: Int) {
        Scenario.running.when(Sample.review(rating: rating), by: Sample.customer).thenInvalid("rating")
    }

    @Test(arguments: [0, 8_193])
    func aTextHasABound(_ bytes: Int) {
        let text = Sealed(Array(repeating: 1, count: bytes))
        Scenario.running.when(Sample.review(rating: 9, text: text), by: Sample.customer).thenInvalid("rating", "text")
        Scenario.running.given(Sample.reviewed())
            .when(Sample.reply(ReviewID(61), text: text), by: Sample.customer).thenInvalid("text")
    }

    @Test func anUnknownShopIsNotFound() {
        Scenario.running.when(Sample.review(of: ShopID(19)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func nobodyReviewsTheirOwnShop() {
        for actor in [Sample.owner, Sample.staff] {
            Scenario.running.when(Sample.review(), by: actor).thenRejected(.ownShop)
        }
        Scenario.running.when(Sample.review(), by: Sample.rival).thenAccepted()
    }

    @Test func theSameReviewAgainIsNothing() {
        Scenario.running.given(Sample.reviewed()).when(Sample.review(rating: 2), by: Sample.customer).thenNothing()
    }

    @Test func anothersReviewIDIsNotFound() {
        let reviewed = Scenario.running.given(Sample.reviewed())
        reviewed.when(Sample.review(), by: Sample.stranger).thenRejected(.notFound)
        reviewed.when(Sample.review(of: Sample.rivalShop), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func aSecondRatingIsASecondReview() {
        Scenario.running.given(Sample.reviewed()).when(Sample.review(ReviewID(61), rating: 2), by: Sample.customer)
            .then(Sample.reviewed(ReviewID(61), rating: 2))
    }

    @Test(arguments: [Sample.owner, Sample.staff, Sample.customer, Sample.stranger])
    func anybodyReplies(_ actor: AccountID) {
        Scenario.running.given(Sample.reviewed()).when(Sample.reply(ReviewID(61)), by: actor)
            .then(Sample.replied(ReviewID(61), to: Sample.review, by: actor, depth: 1))
    }

    @Test func repliesNestEightDeepAndNoDeeper() {
        var scenario = Scenario.running.given(Sample.reviewed())
        var parent = Sample.review
        for depth in 1...8 {
            let reply = ReviewID(100 + UInt128(depth))
            scenario = scenario.when(Sample.reply(reply, to: parent), by: Sample.owner)
                .then(Sample.replied(reply, to: parent, by: Sample.owner, depth: depth))
            parent = reply
        }
        scenario.when(Sample.reply(ReviewID(109), to: parent), by: Sample.owner).thenInvalid("")
    }

    @Test func anUnknownParentIsNotFound() {
        Scenario.running.when(Sample.reply(ReviewID(61)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func theSameReplyAgainIsNothing() {
        Scenario.running.given(Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1))
            .when(Sample.reply(ReviewID(61)), by: Sample.owner).thenNothing()
    }

    @Test func anIDOfSomethingElseIsNotFound() {
        let replied = Scenario.running.given(
            Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1))
        replied.when(Sample.reply(ReviewID(61)), by: Sample.stranger).thenRejected(.notFound)
        replied.when(Sample.reply(ReviewID(61), to: ReviewID(61)), by: Sample.owner).thenRejected(.notFound)
        replied.when(Sample.reply(Sample.review), by: Sample.customer).thenRejected(.notFound)
        replied.when(Sample.review(ReviewID(61)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func theAuthorRemovesAReviewOrAReply() {
        let replied = Scenario.running.given(
            Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1))
        replied.when(Sample.remove(), by: Sample.customer).then(Sample.removed())
        replied.when(Sample.remove(ReviewID(61)), by: Sample.owner).then(Sample.removed(ReviewID(61), by: Sample.owner))
    }

    @Test func anOperatorRemovesAnybodysAndTheEventSaysSo() {
        let reviewed = Scenario.running.given(Sample.reviewed())
        reviewed.when(Sample.remove(asOperator: true), by: Sample.stranger).then(Sample.removed(byOperator: true))
        reviewed.when(Sample.remove(asOperator: true), by: Sample.customer).then(Sample.removed(byOperator: false))
    }

    @Test(arguments: [Sample.owner, Sample.staff, Sample.stranger])
    func nobodyElseRemovesAReview(_ actor: AccountID) {
        Scenario.running.given(Sample.reviewed()).when(Sample.remove(), by: actor).thenRejected(.forbidden)
        Scenario.running.given(Sample.reviewed(), Sample.removed()).when(Sample.remove(), by: actor).thenRejected(.forbidden)
    }

    @Test func whatWasNeverPostedIsNotFound() {
        Scenario.running.when(Sample.remove(), by: Sample.customer).thenRejected(.notFound)
        Scenario.running.when(Sample.remove(asOperator: true), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func whatIsRemovedStaysSoAndIsNotAnswered() {
        let removed = Scenario.running.given(
            Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1), Sample.removed())
        removed.when(Sample.remove(), by: Sample.customer).thenNothing()
        removed.when(Sample.remove(asOperator: true), by: Sample.stranger).thenNothing()
        removed.when(Sample.reply(ReviewID(62)), by: Sample.owner).thenRejected(.notFound)
        removed.when(Sample.review(), by: Sample.customer).thenNothing()
        removed.when(Sample.reply(ReviewID(62), to: ReviewID(61)), by: Sample.customer).thenAccepted()
    }
}
