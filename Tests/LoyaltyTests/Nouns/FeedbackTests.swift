import Loyalty
import Testing

@Suite struct FeedbackTests {
    @Test(
        "Every account may give feedback, and the same feedback given twice is recorded twice", arguments: [Sample.owner, Sample.customer])
    func anybody(_ actor: AccountID) {
        let given = LoyaltyEvent.feedbackGiven(FeedbackGiven(author: actor, text: Sealed(Array(repeating: 4, count: 40))))
        Scenario.running.when(Sample.tell(), by: actor).then(given).when(Sample.tell(), by: actor).then(given)
    }

    @Test("Feedback without text or with more than 8,192 sealed bytes is rejected", arguments: [0, 8_193])
    func aTextHasABound(_ bytes: Int) {
        Scenario.running.when(Sample.tell(bytes), by: Sample.customer).thenInvalid("text")
    }
}
