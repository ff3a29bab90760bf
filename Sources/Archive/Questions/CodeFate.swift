public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec

/// The events and the verdict of a stamp code, a redemption code or a paper card, found by its id or keyed hash.
///
/// The log has no code's text, so a search by text needs the service's keys to compute the hash.
public struct CodeFate: Sendable {
    /// The events of one code, as lines, and a verdict in words.
    public struct Answer: Hashable, Sendable {
        /// As text: `code_01…`, `rdm_01…` or `paper_01…`.
        public let id: String
        /// Every event that names the code, from the oldest.
        public let lines: [String]
        /// In words, such as `used by acct_01… at 2026-11-24T09:00:00Z, card card_01…, 6 stamps, position 282`, with a later erasure.
        public let verdict: String
    }

    private let tag: Tag?
    private let secrets: [Tag]
    /// A paper card's number within the print whose hash is in ``secrets``; nil for other codes.
    private let number: Int?

    /// Searches by an id such as `code_01…`, optionally with its kind, as in `code:code_01…`; nil for other text.
    public init?(id text: String) {
        let found = ["code", "redemption", "paper"].lazy.compactMap { Tag(text: "\($0):\(text)") }.first ?? Tag(text: text)
        guard let found, found.kind == .code || found.kind == .redemption || found.kind == .paper else { return nil }
        (tag, secrets, number) = (found, [], nil)
    }

    /// Searches for a typed code by both keyed hashes, because it may be a stamp code or a redemption code.
    public init(stampCode: Secret, redemptionCode: Secret) {
        let secrets = [Tag(.codeSecret, stampCode.value), Tag(.redemptionSecret, redemptionCode.value)]
        (tag, self.secrets, number) = (nil, secrets, nil)
    }

    /// Searches for a paper card by the keyed hash of its print's secret and its number in the print.
    public init(printCode: Secret, number: Int) { (tag, secrets, self.number) = (nil, [Tag(.printSecret, printCode.value)], number) }

    /// One answer for each matching code: first the stamp codes, then the redemption codes, each from the oldest.
    ///
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``.
    public func answers(in log: EventLog) throws(AuditError) -> [Answer] {
        if let number { return try papers(number, in: log) }
        return try tags(in: log).map { (tag) throws(AuditError) in try answer(of: tag, in: log) }
    }

    /// One answer for each print with the keyed hash. A card without events is answered with the event of the print.
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

    /// A clause about the account's erasure; empty if there was none.
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

    private static func taking(in facts: [Fact]) -> Fact? { facts.first { if case .paperCardTaken = $0.event { true } else { false } } }

    private static func verdict(ofPaper facts: [Fact]) -> String {
        if let taking = taking(in: facts) { return "taken by \(taking.actor.text) at \(taking.time.rfc3339), position \(taking.position)" }
        let stamps = Paper.fold(facts)?.stamps ?? 0
        let waiting = stamps == 0 ? "nothing waits" : stamps == 1 ? "1 stamp waits" : "\(stamps) stamps wait"
        return waiting + " on it, and nobody has taken it"
    }

    /// - Parameter taking: the event that added the paper card with the code's stamps to an account.
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

    /// The stamped cards with stamps and positions. When a card becomes full, a code's other stamps go onto the next card.
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
