import Loyalty
import Testing

@Suite struct FeedbackTests {
    @Test(arguments: [Sample.owner, Sample.customer])
    func anybodyMayTellSomething(_ actor: AccountID) {
        let given = LoyaltyEvent.feedbackGiven(FeedbackGiven(author: actor, text: Sealed(Array(repeating: 4, count: 40))))
        Scenario.running.when(Sample.tell(), by: actor).then(given).when(Sample.tell(), by: actor).then(given)
    }

    @Test(arguments: [0, 8_193])
    func aTextHasABound(_ bytes: Int) {
        Scenario.running.when(Sample.tell(bytes), by: Sample.customer).thenInvalid("text")
    }
}
