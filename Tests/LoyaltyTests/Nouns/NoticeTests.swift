import Loyalty
import Testing

@Suite struct NoticeTests {
    @Test func anOwnerTellsTheirCustomersSomething() {
        Scenario.running.when(Sample.notify(), by: Sample.owner).then(Sample.notified())
    }

    @Test(arguments: [Sample.staff, Sample.customer, Sample.rival])
    func nobodyElseSpeaksForAShop(_ actor: AccountID) {
        Scenario.running.when(Sample.notify(), by: actor).thenRejected(actor == Sample.staff ? .roleRequired : .forbidden)
    }

    @Test func anUnknownShopIsNotFound() {
        Scenario.running.when(Sample.notify(to: .shop(ShopID(19))), by: Sample.owner).thenRejected(.notFound)
    }

    @Test func whoMaySpeakToEverybodyIsNotForTheDecision() {
        Scenario.running.when(Sample.notify(to: .all), by: Sample.stranger).then(Sample.notified(to: .all, by: Sample.stranger))
    }

    @Test func titleAndTextHaveBounds() {
        for (title, text) in [(0, 0), (513, 8_193)] {
            Scenario.running.when(Sample.notify(title: title, text: text), by: Sample.owner).thenInvalid("title", "text")
        }
        Scenario.running.when(Sample.notify(title: 512, text: 8_192), by: Sample.owner).thenAccepted()
    }

    @Test func theSameNoticeAgainIsNothingAndAnothersIsNotFound() {
        let told = Scenario.running.given(Sample.notified())
        told.when(Sample.notify(), by: Sample.owner).thenNothing()
        told.when(Sample.notify(to: .all), by: Sample.owner).thenRejected(.notFound)
        told.when(Sample.notify(to: .shop(Sample.rivalShop)), by: Sample.rival).thenRejected(.notFound)
    }

    @Test func aNoticeIsReadOnceByEach() {
        let told = Scenario.running.given(Sample.notified())
        let read = told.when(Sample.read(), by: Sample.customer).then(Sample.noticeRead())
        read.when(Sample.read(), by: Sample.customer).thenNothing()
        read.when(Sample.read(), by: Sample.stranger).then(Sample.noticeRead(by: Sample.stranger))
    }

    @Test func anUnknownNoticeIsNotFound() {
        Scenario.running.when(Sample.read(), by: Sample.customer).thenRejected(.notFound)
    }

    @Test func aNoticeRemembersWhoseItIsAndSinceWhen() {
        let fact = Fact(position: 9, time: Sample.after(5), actor: Sample.owner, event: Sample.notified())
        #expect(
            Notice.fold([fact])
                == Notice(id: Sample.notice, audience: .shop(Sample.shop), author: Sample.owner, postedAt: Sample.after(5)))
    }
}
