import Loyalty
import Testing

@Suite struct ReviewTests {
    private let text = Sealed([1, 2, 3])

    @Test("A review has a rating, a text or both")
    func ratingAndText() {
        Scenario.running.when(Sample.review(), by: Sample.customer).then(Sample.reviewed())
        Scenario.running.when(Sample.review(rating: nil, text: text), by: Sample.customer)
            .then(Sample.reviewed(rating: nil, text: text))
        Scenario.running.when(Sample.review(rating: 1, text: text), by: Sample.customer)
            .then(Sample.reviewed(rating: 1, text: text))
    }

    @Test("A review with neither rating nor text is rejected")
    func atLeastOneOfThem() {
        Scenario.running.when(Sample.review(rating: nil, text: nil), by: Sample.customer)
            .thenRejected(.invalid([InvalidField(field: "text", fault: .ratingOrText)]))
    }

    @Test("A rating outside of one to five is rejected", arguments: [0, 6, -1, Int.max])
    func aRatingIsOneToFive(_ rating: Int) {
        Scenario.running.when(Sample.review(rating: rating), by: Sample.customer).thenInvalid("rating")
    }

    @Test("A review or reply whose sealed text is empty or longer than 8,192 bytes is rejected", arguments: [0, 8_193])
    func aTextHasABound(_ bytes: Int) {
        let text = Sealed(Array(repeating: 1, count: bytes))
        Scenario.running.when(Sample.review(rating: 9, text: text), by: Sample.customer).thenInvalid("rating", "text")
        Scenario.running.given(Sample.reviewed())
            .when(Sample.reply(ReviewID(61), text: text), by: Sample.customer).thenInvalid("text")
    }

    @Test("A review of an unknown shop is not found")
    func unknownShop() {
        Scenario.running.when(Sample.review(of: ShopID(19)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("People who work at a shop cannot review it")
    func ownShop() {
        for actor in [Sample.owner, Sample.staff] {
            Scenario.running.when(Sample.review(), by: actor).thenRejected(.ownShop)
        }
        Scenario.running.when(Sample.review(), by: Sample.rival).thenAccepted()
    }

    @Test("A review that is posted again records nothing")
    func sameReview() {
        Scenario.running.given(Sample.reviewed()).when(Sample.review(rating: 2), by: Sample.customer).thenNothing()
    }

    @Test("A review with the id of another author's or another shop's review is not found")
    func takenID() {
        let reviewed = Scenario.running.given(Sample.reviewed())
        reviewed.when(Sample.review(), by: Sample.stranger).thenRejected(.notFound)
        reviewed.when(Sample.review(of: Sample.rivalShop), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("An account may review a shop a second time")
    func secondReview() {
        Scenario.running.given(Sample.reviewed()).when(Sample.review(ReviewID(61), rating: 2), by: Sample.customer)
            .then(Sample.reviewed(ReviewID(61), rating: 2))
    }

    @Test("Every account may reply to a review", arguments: [Sample.owner, Sample.staff, Sample.customer, Sample.stranger])
    func anybodyReplies(_ actor: AccountID) {
        Scenario.running.given(Sample.reviewed()).when(Sample.reply(ReviewID(61)), by: actor)
            .then(Sample.replied(ReviewID(61), to: Sample.review, by: actor, depth: 1))
    }

    @Test("Replies nest eight levels deep and no deeper")
    func nesting() {
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

    @Test("A reply to an unknown review is not found")
    func unknownParent() {
        Scenario.running.when(Sample.reply(ReviewID(61)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A reply that is posted again records nothing")
    func sameReply() {
        Scenario.running.given(Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1))
            .when(Sample.reply(ReviewID(61)), by: Sample.owner).thenNothing()
    }

    @Test("A review or reply with the id of another review or reply is not found")
    func otherID() {
        let replied = Scenario.running.given(
            Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1))
        replied.when(Sample.reply(ReviewID(61)), by: Sample.stranger).thenRejected(.notFound)
        replied.when(Sample.reply(ReviewID(61), to: ReviewID(61)), by: Sample.owner).thenRejected(.notFound)
        replied.when(Sample.reply(Sample.review), by: Sample.customer).thenRejected(.notFound)
        replied.when(Sample.review(ReviewID(61)), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("The author removes a review or a reply")
    func authorRemoves() {
        let replied = Scenario.running.given(
            Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1))
        replied.when(Sample.remove(), by: Sample.customer).then(Sample.removed())
        replied.when(Sample.remove(ReviewID(61)), by: Sample.owner).then(Sample.removed(ReviewID(61), by: Sample.owner))
    }

    @Test("An operator removes anybody's review, and the event says so unless the review is the operator's own")
    func operatorRemoves() {
        let reviewed = Scenario.running.given(Sample.reviewed())
        reviewed.when(Sample.remove(asOperator: true), by: Sample.stranger).then(Sample.removed(byOperator: true))
        reviewed.when(Sample.remove(asOperator: true), by: Sample.customer).then(Sample.removed(byOperator: false))
    }

    @Test(
        "An account other than the author cannot remove a review, even one that was removed already",
        arguments: [Sample.owner, Sample.staff, Sample.stranger])
    func notAuthor(_ actor: AccountID) {
        Scenario.running.given(Sample.reviewed()).when(Sample.remove(), by: actor).thenRejected(.forbidden)
        Scenario.running.given(Sample.reviewed(), Sample.removed()).when(Sample.remove(), by: actor).thenRejected(.forbidden)
    }

    @Test("A removal of a review that was never posted is not found")
    func neverPosted() {
        Scenario.running.when(Sample.remove(), by: Sample.customer).thenRejected(.notFound)
        Scenario.running.when(Sample.remove(asOperator: true), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A removed review stays removed and gets no new replies, while its existing replies still do")
    func staysRemoved() {
        let removed = Scenario.running.given(
            Sample.reviewed(), Sample.replied(ReviewID(61), to: Sample.review, by: Sample.owner, depth: 1), Sample.removed())
        removed.when(Sample.remove(), by: Sample.customer).thenNothing()
        removed.when(Sample.remove(asOperator: true), by: Sample.stranger).thenNothing()
        removed.when(Sample.reply(ReviewID(62)), by: Sample.owner).thenRejected(.notFound)
        removed.when(Sample.review(), by: Sample.customer).thenNothing()
        removed.when(Sample.reply(ReviewID(62), to: ReviewID(61)), by: Sample.customer).thenAccepted()
    }
}
