import Loyalty
import Testing

@Suite struct NoticeTests {
    @Test("An owner posts a notice to the shop's customers")
    func ownerPosts() {
        Scenario.running.when(Sample.notify(), by: Sample.owner).then(Sample.notified())
    }

    @Test("Counter staff, customers and other owners post no notices of a shop", arguments: [Sample.staff, Sample.customer, Sample.rival])
    func notOwner(_ actor: AccountID) {
        Scenario.running.when(Sample.notify(), by: actor).thenRejected(actor == Sample.staff ? .roleRequired : .forbidden)
    }

    @Test("A notice of an unknown shop is rejected as not found")
    func unknownShop() {
        Scenario.running.when(Sample.notify(to: .shop(ShopID(19))), by: Sample.owner).thenRejected(.notFound)
    }

    @Test("A notice to everybody is accepted from any account, because its permission is checked elsewhere")
    func toAll() {
        Scenario.running.when(Sample.notify(to: .all), by: Sample.stranger).then(Sample.notified(to: .all, by: Sample.stranger))
    }

    @Test("A notice has a title of 1 to 512 sealed bytes and a text of 1 to 8,192")
    func bounds() {
        for (title, text) in [(0, 0), (513, 8_193)] {
            Scenario.running.when(Sample.notify(title: title, text: text), by: Sample.owner).thenInvalid("title", "text")
        }
        Scenario.running.when(Sample.notify(title: 512, text: 8_192), by: Sample.owner).thenAccepted()
    }

    @Test("A repeated notice records nothing, and one with the id of another notice is not found")
    func again() {
        let told = Scenario.running.given(Sample.notified())
        told.when(Sample.notify(), by: Sample.owner).thenNothing()
        told.when(Sample.notify(to: .all), by: Sample.owner).thenRejected(.notFound)
        told.when(Sample.notify(to: .shop(Sample.rivalShop)), by: Sample.rival).thenRejected(.notFound)
    }

    @Test("Each account reads a notice once")
    func readOnce() {
        let told = Scenario.running.given(Sample.notified())
        let read = told.when(Sample.read(), by: Sample.customer).then(Sample.noticeRead())
        read.when(Sample.read(), by: Sample.customer).thenNothing()
        read.when(Sample.read(), by: Sample.stranger).then(Sample.noticeRead(by: Sample.stranger))
    }

    @Test("An unknown notice cannot be read")
    func unknownNotice() {
        Scenario.running.when(Sample.read(), by: Sample.customer).thenRejected(.notFound)
    }

    @Test("A notice keeps its audience, its author and the time of its posting")
    func kept() {
        let fact = Fact(position: 9, time: Sample.after(5), actor: Sample.owner, event: Sample.notified())
        #expect(
            Notice.fold([fact])
                == Notice(id: Sample.notice, audience: .shop(Sample.shop), author: Sample.owner, postedAt: Sample.after(5)))
    }
}
