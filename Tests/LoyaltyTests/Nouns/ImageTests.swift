import Loyalty
import Testing

@Suite struct ImageTests {
    @Test("A picture is taken down as often as somebody asks for it, by whoever has an account", arguments: [false, true])
    func takenDown(_ asOperator: Bool) {
        let event = LoyaltyEvent.imageTakenDown(ImageTakenDown(image: ImageID(9), byOperator: asOperator))
        let command = Sample.takeDown(asOperator: asOperator)
        Scenario.running.when(command, by: Sample.customer).then(event).when(command, by: Sample.owner).then(event)
    }

    @Test("Nobody without an account takes a picture down")
    func nobody() {
        Scenario.running.when(Sample.takeDown(), by: AccountID(999_999)).thenRejected(.notFound)
    }
}
