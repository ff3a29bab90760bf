import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// A legal history in which an owner and an operator take pictures down.
    static func images() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_124), shops: 1, customers: 1, roles: false)
        let (owner, shop, operating) = (history.owners[0], history.shops[0], history.customers[0])
        let image = ImageID(history.id())
        let commands: [(Command, AccountID)] = [
            (.editShop(EditShop(shop: shop, expected: .any, images: [image])), owner),
            (.takeDownImage(TakeDownImage(image: image, asOperator: false)), owner),
            (.takeDownImage(TakeDownImage(image: image, asOperator: true)), operating),
        ]
        for (command, actor) in commands where history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        return history.facts
    }
}
