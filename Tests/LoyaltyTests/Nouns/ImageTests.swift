import Loyalty
import Testing

@Suite struct ImageTests {
    @Test("Any account can take a picture down, and each request adds an event", arguments: [false, true])
    func takenDown(_ asOperator: Bool) {
        let event = LoyaltyEvent.imageTakenDown(ImageTakenDown(image: ImageID(9), byOperator: asOperator))
        let command = Sample.takeDown(asOperator: asOperator)
        Scenario.running.when(command, by: Sample.customer).then(event).when(command, by: Sample.owner).then(event)
    }

    @Test("Nobody without an account takes a picture down")
    func nobody() {
        Scenario.running.when(Sample.takeDown(), by: AccountID(999_999)).thenRejected(.notFound)
    }

    @Test("An operator takes down a picture and all copies of its bytes, a sender the picture alone")
    func copies() {
        func event(_ image: ImageID, _ asOperator: Bool) -> LoyaltyEvent {
            .imageTakenDown(ImageTakenDown(image: image, byOperator: asOperator))
        }
        func command(_ content: ImageID, _ asOperator: Bool) -> Command {
            .takeDownImage(TakeDownImage(image: ImageID(9), content: content, asOperator: asOperator))
        }
        Scenario.running.when(command(ImageID(8), true), by: Sample.owner).then(event(ImageID(9), true), event(ImageID(8), true))
            .when(command(ImageID(9), true), by: Sample.owner).then(event(ImageID(9), true))
            .when(command(ImageID(8), false), by: Sample.owner).then(event(ImageID(9), false))
    }
}
