import Histories
import Loyalty
import Seeds
import Testing

extension FixtureStory {
    /// Stamps that were taken back in parts: on one card, in place of a full card, and the rest.
    static func parts() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_130), shops: 1, customers: 3)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, campaign) = (history.owners[0], CampaignID(history.id()))
        let terms = CampaignTerms<String>(
            title: "Four", details: "", goal: 4, reward: "Tea", startsAt: history.now, endsAt: history.now.advanced(bySeconds: 86_400 * 30))
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: history.shops[0], kind: .stampCard, terms: terms)), by: owner)
        var codes: [CodeID] = []
        for stamps in [3, 3, 1] {
            let (code, secret) = (CodeID(history.id()), Secret(history.id()))
            codes.append(code)
            run(.issueCode(IssueCode(code: code, campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600)), by: owner)
            run(.stamp(Stamp(secret: secret, campaign: nil, firstCard: CardID(history.id()))), by: history.customers[0])
        }
        for (code, stamps) in [(1, 1), (0, 1), (1, nil), (2, nil), (0, nil)] as [(Int, Int?)] {
            run(.reverseStamp(ReverseStamp(code: codes[code], stamps: stamps, reason: .sealed(Sealed([8])))), by: owner)
        }
        for found in [history.customers[0], nil] { run(.noteSearch(NoteSearch(found: found, at: history.shops[0])), by: owner) }
        return history.facts
    }
}
