import Loyalty
import Testing

@Suite struct FavoriteTests {
    @Test("A customer adds a campaign to their favourites")
    func added() {
        Scenario.running.when(Sample.favor(), by: Sample.customer).then(Sample.favored())
    }

    @Test("People who work at a shop may have its campaigns as favourites", arguments: [Sample.owner, Sample.staff])
    func ownPeople(_ actor: AccountID) {
        Scenario.running.when(Sample.favor(), by: actor).then(Sample.favored(by: actor))
    }

    @Test("A favourite that is added again records nothing")
    func aFavouriteIsKeptOnce() {
        Scenario.running.given(Sample.favored()).when(Sample.favor(), by: Sample.customer).thenNothing()
    }

    @Test("A favourite belongs to one account and one campaign")
    func everybodyHasTheirOwn() {
        let liked = Scenario.running.given(Sample.favored())
        liked.when(Sample.favor(), by: Sample.stranger).then(Sample.favored(by: Sample.stranger))
        liked.when(Sample.favor(Sample.rivalCampaign), by: Sample.customer).then(Sample.favored(Sample.rivalCampaign))
        liked.when(Sample.unfavor(), by: Sample.stranger).thenNothing()
    }

    @Test("A campaign that is over can be a favourite")
    func whatIsOverCanBeKept() {
        Scenario.running.given(Sample.ended()).when(Sample.favor(), by: Sample.customer).then(Sample.favored())
    }

    @Test("A favourite can be removed and added again")
    func removedAndAdded() {
        let liked = Scenario.running.given(Sample.favored())
        liked.when(Sample.unfavor(), by: Sample.customer).then(Sample.unfavored())
            .when(Sample.favor(), by: Sample.customer).then(Sample.favored())
    }

    @Test("A removal of a campaign that is no favourite records nothing")
    func neverAdded() {
        Scenario.running.when(Sample.unfavor(), by: Sample.customer).thenNothing()
    }

    @Test(
        "A command about a favourite of an unknown campaign is not found",
        arguments: [Sample.favor(CampaignID(29)), Sample.unfavor(CampaignID(29))])
    func unknownCampaign(_ command: Command) {
        Scenario.running.when(command, by: Sample.customer).thenRejected(.notFound)
    }

    @Test("An event about a favourite concerns no shop, card or holder", arguments: [Sample.favored(), Sample.unfavored()])
    func concernsNone(_ event: LoyaltyEvent) {
        #expect(event.shop == nil && event.card == nil && event.holder == nil)
    }
}
