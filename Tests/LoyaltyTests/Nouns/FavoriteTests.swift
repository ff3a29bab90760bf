import Loyalty
import Testing

@Suite struct FavoriteTests {
    @Test func whatSomebodyLikesIsKept() {
        Scenario.running.when(Sample.favor(), by: Sample.customer).then(Sample.favored())
    }

    @Test(arguments: [Sample.owner, Sample.staff])
    func thoseWhoWorkThereMayLikeItToo(_ actor: AccountID) {
        Scenario.running.when(Sample.favor(), by: actor).then(Sample.favored(by: actor))
    }

    @Test func aFavouriteIsKeptOnce() {
        Scenario.running.given(Sample.favored()).when(Sample.favor(), by: Sample.customer).thenNothing()
    }

    @Test func everybodyHasTheirOwn() {
        let liked = Scenario.running.given(Sample.favored())
        liked.when(Sample.favor(), by: Sample.stranger).then(Sample.favored(by: Sample.stranger))
        liked.when(Sample.favor(Sample.rivalCampaign), by: Sample.customer).then(Sample.favored(Sample.rivalCampaign))
        liked.when(Sample.unfavor(), by: Sample.stranger).thenNothing()
    }

    @Test func whatIsOverCanBeKept() {
        Scenario.running.given(Sample.ended()).when(Sample.favor(), by: Sample.customer).then(Sample.favored())
    }

    @Test func itCanBeTakenOffAndPutBack() {
        let liked = Scenario.running.given(Sample.favored())
        liked.when(Sample.unfavor(), by: Sample.customer).then(Sample.unfavored())
            .when(Sample.favor(), by: Sample.customer).then(Sample.favored())
    }

    @Test func whatWasNeverKeptNeedNoTakingOff() {
        Scenario.running.when(Sample.unfavor(), by: Sample.customer).thenNothing()
    }

    @Test(arguments: [Sample.favor(CampaignID(29)), Sample.unfavor(CampaignID(29))])
    func anUnknownCampaignIsNotFound(_ command: Command) {
        Scenario.running.when(command, by: Sample.customer).thenRejected(.notFound)
    }

    @Test(arguments: [Sample.favored(), Sample.unfavored()])
    func aFavouriteConcernsNoShopAndNoCard(_ event: LoyaltyEvent) {
        #expect(event.shop == nil && event.card == nil && event.holder == nil)
    }
}
