public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec

/// The events of a stamp code, a redemption code or a paper card, found by its id or by its keyed hash, and a verdict about its use.
///
/// The log does not contain the text of a code. A program that has the service's keys can compute the code's keyed hash, and find the
/// events by that hash.
public struct CodeFate: Sendable {
    /// The events of one code, as lines, and a verdict in words.
    public struct Answer: Hashable, Sendable {
        /// The id as text: `code_01…` for a stamp code, `rdm_01…` for a redemption code, `paper_01…` for a paper card.
        public let id: String
        /// Every event that names the code, from the oldest. For a paper card that was found by its code, the event of the print is first.
        public let lines: [String]
        /// The verdict in words, such as `used by acct_01… at 2026-11-24T09:00:00Z, card card_01…, 6 stamps, position 282`. It names each
        /// card that the code stamped, and says whether the account was erased later.
        public let verdict: String
    }

    private let tag: Tag?
    private let secrets: [Tag]
    /// The number of a paper card within its print; nil for other codes. If there is a number, ``secrets`` has the keyed hash of the
    /// print's secret.
    private let number: Int?

    /// Searches by an id such as `code_01…`, `rdm_01…` or `paper_01…`. The kind of the code may precede the id, as in `code:code_01…`. Nil
    /// if the text is not such an id.
    public init?(id text: String) {
        let found = ["code", "redemption", "paper"].lazy.compactMap { Tag(text: "\($0):\(text)") }.first ?? Tag(text: text)
        guard let found, found.kind == .code || found.kind == .redemption || found.kind == .paper else { return nil }
        (tag, secrets, number) = (found, [], nil)
    }

    /// Searches for a code that a user typed in, which may be a stamp code or a redemption code. `stampCode` is the keyed hash of the text
    /// as a stamp code, `redemptionCode` the keyed hash as a redemption code.
    public init(stampCode: Secret, redemptionCode: Secret) {
        let secrets = [Tag(.codeSecret, stampCode.value), Tag(.redemptionSecret, redemptionCode.value)]
        (tag, self.secrets, number) = (nil, secrets, nil)
    }

    /// Searches for a paper card by the two parts of its code: the keyed hash of the print's secret, and the card's number in the print.
    public init(printCode: Secret, number: Int) {
        (tag, secrets, self.number) = (nil, [Tag(.printSecret, printCode.value)], number)
    }

    /// - Returns: an answer for each matching code: first the stamp codes, then the redemption codes, each kind from the oldest to the
    ///   newest. The service issues a text at most once as a stamp code, and at most once as a redemption code.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``.
    public func answers(in log: EventLog) throws(AuditError) -> [Answer] {
        if let number { return try papers(number, in: log) }
        return try tags(in: log).map { (tag) throws(AuditError) in try answer(of: tag, in: log) }
    }

    /// Returns one answer for each print whose secret has the keyed hash. The answer is about the print's card with the number `number`. If
    /// that card has no events, the answer has only the event of the print.
    private func papers(_ number: Int, in log: EventLog) throws(AuditError) -> [Answer] {
        var answers: [Answer] = []
        for secret in secrets {
            for fact in try Self.facts(of: secret, in: log) {
                guard case .paperCardsPrinted(let printed) = fact.event, number < printed.count else { continue }
                let tag = Tag(.paper, PaperName(print: printed.print, number: number).id.value)
                let facts = try Self.facts(of: tag, in: log)
                answers.append(try paperAnswer(tag, lines: [fact] + facts, facts, in: log))
            }
        }
        return answers
    }

    private func paperAnswer(_ tag: Tag, lines: [Fact], _ facts: [Fact], in log: EventLog) throws(AuditError) -> Answer {
        let note = try Self.erasure(of: Self.taking(in: facts)?.actor, in: log)
        return Answer(id: tag.text, lines: lines.map(FactText.line), verdict: Self.verdict(ofPaper: facts) + note)
    }

    /// A clause that says that an account was erased; empty if the account was not erased, or if there is no account.
    private static func erasure(of account: AccountID?, in log: EventLog) throws(AuditError) -> String {
        guard let account else { return "" }
        var note = ""
        try EventListing(type: .accountErased).forEach(in: log) { fact in
            guard case .accountErased(let erased) = fact.event, erased.account == account else { return true }
            note = "; this account was erased at \(fact.time.rfc3339), position \(fact.position)"
            return false
        }
        return note
    }

    private static func facts(of tag: Tag, in log: EventLog) throws(AuditError) -> [Fact] {
        var facts: [Fact] = []
        try EventListing(tag: tag).forEach(in: log) { fact in
            facts.append(fact)
            return true
        }
        return facts
    }

    private func tags(in log: EventLog) throws(AuditError) -> [Tag] {
        if let tag { return [tag] }
        var tags: [Tag] = []
        for secret in secrets {
            try EventListing(tag: secret).forEach(in: log) { fact in
                switch fact.event {
                case .codeIssued(let issued): tags.append(Tag(.code, issued.code.value))
                case .redemptionRequested(let requested): tags.append(Tag(.redemption, requested.redemption.value))
                case .milestoneRequested(let requested): tags.append(Tag(.redemption, requested.redemption.value))
                default: break
                }
                return true
            }
        }
        return tags
    }

    private func answer(of tag: Tag, in log: EventLog) throws(AuditError) -> Answer {
        let facts = try Self.facts(of: tag, in: log)
        if tag.kind == .paper { return try paperAnswer(tag, lines: facts, facts, in: log) }
        var taking: Fact?
        for fact in facts {
            guard case .paperStamped(let stamped) = fact.event else { continue }
            taking = Self.taking(in: try Self.facts(of: Tag(.paper, stamped.paper.id.value), in: log))
        }
        let note = try Self.erasure(of: Self.user(facts), in: log)
        return Answer(id: tag.text, lines: facts.map(FactText.line), verdict: Self.verdict(facts, taking: taking) + note)
    }

    /// The event by which a paper card was added to an account; nil if there is none.
    private static func taking(in facts: [Fact]) -> Fact? {
        facts.first { if case .paperCardTaken = $0.event { true } else { false } }
    }

    private static func verdict(ofPaper facts: [Fact]) -> String {
        if let taking = taking(in: facts) {
            return "taken by \(taking.actor.text) at \(taking.time.rfc3339), position \(taking.position)"
        }
        let stamps = Paper.fold(facts)?.stamps ?? 0
        let waiting = stamps == 0 ? "nothing waits" : stamps == 1 ? "1 stamp waits" : "\(stamps) stamps wait"
        return waiting + " on it, and nobody has taken it"
    }

    /// - Parameter taking: the event by which the paper card with the code's stamps was added to an account; nil if there is no such paper
    ///   card.
    private static func verdict(_ facts: [Fact], taking: Fact?) -> String {
        guard let first = facts.first else { return "there is no such code" }
        var waits: String?
        for fact in facts {
            switch fact.event {
            case .paperStamped(let stamped):
                let paper = stamped.paper.id.text
                waits = "waits on paper \(paper), put there by \(fact.actor.text)"
                if let taking { waits = "lapsed when \(taking.actor.text) took paper \(paper) at \(taking.time.rfc3339), never used" }
            case .paperStampReversed: return "taken back from paper by \(fact.actor.text) at \(fact.time.rfc3339), never used"
            case .cardStamped(let stamped):
                return "used by \(stamped.holder.text) at \(fact.time.rfc3339), \(cards(facts))"
            case .cardRedeemed(let redeemed):
                return "redeemed for \(redeemed.holder.text) by \(fact.actor.text) at \(fact.time.rfc3339), "
                    + "card \(redeemed.card.text), position \(fact.position)"
            case .milestoneRedeemed(let redeemed):
                return "redeemed for \(redeemed.holder.text) by \(fact.actor.text) at \(fact.time.rfc3339), "
                    + "milestone \(redeemed.milestone) of card \(redeemed.card.text), position \(fact.position)"
            case .codeDestroyed: return "withdrawn by \(fact.actor.text) at \(fact.time.rfc3339), never used"
            default: continue
            }
        }
        return waits ?? "not used; shown by \(first.actor.text) at \(first.time.rfc3339)\(expiry(first))"
    }

    /// The account that used the code; nil if no account has used it.
    private static func user(_ facts: [Fact]) -> AccountID? {
        for fact in facts {
            switch fact.event {
            case .cardStamped(let stamped): return stamped.holder
            case .cardRedeemed(let redeemed): return redeemed.holder
            case .milestoneRedeemed(let redeemed): return redeemed.holder
            default: continue
            }
        }
        return nil
    }

    /// The cards that a code stamped, each with the number of stamps and the event's position. One code can stamp several cards: if a card
    /// becomes full, the code's other stamps go onto the next card.
    private static func cards(_ facts: [Fact]) -> String {
        let cards = facts.compactMap { fact -> String? in
            guard case .cardStamped(let stamped) = fact.event else { return nil }
            let unit = stamped.stamps == 1 ? "stamp" : "stamps"
            return "card \(stamped.card.text), \(stamped.stamps) \(unit), position \(fact.position)"
        }
        return cards.joined(separator: "; ")
    }

    private static func expiry(_ fact: Fact) -> String {
        switch fact.event {
        case .codeIssued(let issued): ", valid until \(issued.expiresAt.rfc3339)"
        case .redemptionRequested(let requested): ", valid until \(requested.expiresAt.rfc3339)"
        case .milestoneRequested(let requested): ", valid until \(requested.expiresAt.rfc3339)"
        default: ""
        }
    }
}
