internal import Loyalty
internal import LoyaltyCodec

/// A code that may still be used.
struct LiveCode {
    let campaign: CampaignID
    let shop: ShopID
    let expiresAt: Instant
    let stamps: Int
    let issuer: AccountID
    let issuedAt: Instant
}

/// A code that is being used: its stamps go to one card, or on from a card that they fill to new ones, in one go.
struct CodeInUse {
    let code: CodeID
    let campaign: CampaignID
    let holder: AccountID
    let time: Instant
    var left: Int
}

extension RuleBook {
    mutating func check(_ event: CodeIssued, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireOpenCounter(event.shop)
        if let campaign = campaign(event.campaign, of: event.shop) {
            require(campaign.isStampCard && campaign.isRunning(at: fact.time), "campaign \(event.campaign.text) was not running")
        }
        requireOnce(event.code.value, .codeID, "code \(event.code.text) was issued before")
        requireOnce(event.secret.value, .codeSecret, "the secret of code \(event.code.text) was given out before")
        require(Limits.codeStamps.contains(event.stamps), "code \(event.code.text) is worth \(event.stamps) stamps")
        let latest = fact.time.advanced(bySeconds: Int64(Limits.codeValiditySeconds.upperBound))
        require(event.expiresAt > fact.time && event.expiresAt <= latest, "code \(event.code.text) expires at \(event.expiresAt.rfc3339)")
        dropExpired(at: fact.time)
        codes[event.code] = LiveCode(
            campaign: event.campaign, shop: event.shop, expiresAt: event.expiresAt, stamps: event.stamps, issuer: fact.actor,
            issuedAt: fact.time)
    }

    mutating func check(_ event: CodeDestroyed, _ fact: Fact) {
        requireStaff(event.shop, fact)
        requireOpenCounterToday(event.shop)
        guard let code = openCode(event.code, fact) else { return }
        require(code.campaign == event.campaign && code.shop == event.shop, "code \(event.code.text) is of another campaign")
        codes[event.code] = nil
    }

    /// Takes a code's stamps for a card.
    mutating func use(_ event: CardStamped, _ fact: Fact) {
        if let giving, giving.code == event.code, giving.holder == event.holder {
            require(event.stamps <= giving.left, "code \(event.code.text) gave more stamps than it is worth")
            self.giving?.left -= event.stamps
        } else if let code = openCode(event.code, fact) {
            require(code.campaign == event.campaign && code.shop == event.shop, "code \(event.code.text) is of another campaign")
            require(event.stamps <= code.stamps, "code \(event.code.text) gave more stamps than it is worth")
            codes[event.code] = nil
            giving = CodeInUse(
                code: event.code, campaign: event.campaign, holder: event.holder, time: fact.time, left: code.stamps - event.stamps)
        }
        if let giving, giving.left <= 0 { self.giving = nil }
    }

    /// A code that has stamps left goes on with the next event, which opens a card for them or takes some.
    mutating func checkGiving(before fact: Fact) {
        guard let giving else { return }
        let goesOn =
            switch fact.event {
            case .cardOpened(let event): event.campaign == giving.campaign && event.holder == giving.holder
            case .cardStamped(let event): event.code == giving.code && event.holder == giving.holder
            default: false
            }
        if goesOn, fact.time == giving.time, fact.actor == giving.holder { return }
        require(false, "the code used before this event, \(giving.code.text), still had \(giving.left) stamps to give")
        self.giving = nil
    }

    private mutating func openCode(_ id: CodeID, _ fact: Fact) -> LiveCode? {
        let code = codes[id]
        require(code != nil, "code \(id.text) was never issued, or was used, destroyed or expired before")
        require(code.map { fact.time < $0.expiresAt } ?? true, "code \(id.text) had expired")
        if let code { requireIssuer(code, id) }
        return code
    }

    /// Codes that nobody has used are forgotten a day after they have expired, now and then.
    private mutating func dropExpired(at time: Instant) {
        guard codes.count >= codesMax else { return }
        let dayAgo = time.advanced(bySeconds: -Int64(Limits.codeValiditySeconds.upperBound))
        codes = codes.filter { $0.value.expiresAt > dayAgo }
        codesMax = max(10_000, codes.count * 2)
    }
}
