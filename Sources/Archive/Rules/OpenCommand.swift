internal import Loyalty
internal import LoyaltyCodec

/// Steps of the command whose events are being read: its next event must continue them, or may.
struct OpenCommand {
    /// The request that caused the last event.
    var request: Step<RequestMark>?
    /// The account whose sessions its suspension, or a new number for a lost phone, allows the same actor to end.
    var endingSessions: Step<AccountID>?
    /// The code with which the shop's people may stamp a customer's card in the same command.
    var atCounter: Step<CodeIssued>?
    /// The code whose stamps the next event must put on a card.
    var giving: CodeInUse?
    /// The paper card whose codes are being used.
    var taking: PaperTaking?
    /// The card on which the next event must put stamps.
    var opened: CardOpened?
    /// The empty card that the last event discarded for a reversal.
    var replaced: ReplacedCard?
    /// The end of a card that a person's last event recorded. The command's next event must be about the same holder and campaign.
    var ended: Step<CardExpired>?
    /// The account's card that just got stamps. The next event must take over the waiting card that gave them.
    var move: Step<WaitingCardTaken>?

    /// The steps that a log must not end with.
    var unfinished: [String] {
        [
            giving.map { "the code used last, \($0.step.event.code.text), still had \($0.left) stamps to give" },
            taking.flatMap { $0.left > 0 ? "the paper taken last still had \($0.left) stamps to give" : nil },
            move.map { "card \($0.event.card.text) got stamps last, and no waiting card gave them" },
            replaced.map { _ in "the card discarded last was discarded by somebody else" },
            ended.map { "the end of card \($0.event.card.text) was recorded last, and nothing was done with it" },
            opened.map { "card \($0.card.text) was opened, and nothing was stamped on it" },
        ].compactMap(\.self)
    }
}

/// An event that others of the same command must follow, or may.
struct Step<Event: Sendable> {
    let event: Event
    let actor: AccountID
    let time: Instant

    init(_ event: Event, _ fact: Fact) { (self.event, actor, time) = (event, fact.actor, fact.time) }

    /// Whether an event has the same actor and time, as all events of one command have.
    func isContinued(by fact: Fact) -> Bool { fact.actor == actor && fact.time == time }
}
