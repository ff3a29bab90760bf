public import CommandService
public import EventLog
public import Loyalty
public import LoyaltyCodec

extension GreenTea {
    /// Issues a one-time stamp code. The log does not contain it, see `stampCode(of:)`.
    ///
    /// - Parameters:
    ///   - stamps: 1 to 10.
    ///   - validFor: seconds, at most a day.
    public func issueCode(
        of campaign: CampaignID, stamps: Int, validFor: Int, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: issuing(CampaignPlace(campaign), stamps: stamps, validFor: validFor), by: caller, at: at)
    }

    public func issueCode(_ offer: CodeOffer, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        let validFor = Loyalty.Limits.codeValiditySecondsDefault
        return try await submit(deriving: issuing(offer.place, stamps: offer.stamps, validFor: validFor), by: caller, at: at)
    }

    /// Prepares a command. Each attempt of the closure derives another code from the same id.
    public func issuing(_ place: CampaignPlace, stamps: Int, validFor: Int) -> (Int) -> Command {
        let id: CodeID = newID()
        return { [keys] attempt in .issueCode(keys.issue(id, at: place, attempt: attempt, stamps: stamps, validFor: validFor)) }
    }

    /// Prepares a command that issues several codes or none.
    ///
    /// - Parameter count: 1 to 100.
    public func issuingStrip(_ place: CampaignPlace, count: Int, stamps: Int, validFor: Int) -> (Int) -> Command {
        // One id above the maximum suffices for the refusal.
        let ids: [CodeID] = (0..<max(0, min(count, Loyalty.Limits.stripCodesMax + 1))).map { _ in newID() }
        return { [keys] attempt in
            .issueStrip(IssueStrip(codes: ids.map { keys.issue($0, at: place, attempt: attempt, stamps: stamps, validFor: validFor) }))
        }
    }

    public func issue(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    public func stampCode(of issued: CodeIssued) -> TypedCode { keys.stampCode(for: issued.code, attempt: issued.attempt) }

    /// Whether a code was used, to tell a late entry from guessing. A client MUST NOT learn the answer.
    public func wasUsed(stampCode code: TypedCode) throws(ServiceError) -> Bool {
        try reading { try $0.code(secret: keys.secret(ofStampCode: code))?.isUsed ?? false }
    }

    /// Withdraws the open codes of one member of a shop.
    ///
    /// - Returns: the acceptance of the last step, the only one with the idempotency key: repeating the earlier steps changes nothing.
    public func destroyCodes(of issuer: AccountID, at shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        // A retry, or a reused key, is answered before any code is destroyed.
        if try isAnswered(caller) {
            return try await submit(.destroyCodes(DestroyCodes(shop: shop, issuer: issuer, codes: [])), by: caller)
        }
        // The decision refuses strangers without the codes.
        var codes = try reading { past -> [CodeID] in
            let isEmployed = try past.shop(shop)?.employs(caller.account) ?? false
            return isEmployed ? try past.openCodes(of: issuer, at: shop, now: clock.now()) : []
        }[...]
        let step = Loyalty.Limits.destroyedCodesMax
        while codes.count > step {
            let first = DestroyCodes(shop: shop, issuer: issuer, codes: Array(codes.prefix(step)))
            _ = try await submit(.destroyCodes(first), by: Caller(account: caller.account))
            codes = codes.dropFirst(step)
        }
        return try await submit(.destroyCodes(DestroyCodes(shop: shop, issuer: issuer, codes: Array(codes))), by: caller)
    }

    /// Submits a command, and derives another code if its code collides.
    ///
    /// - Parameter command: takes the number of the attempt, from 0.
    func submit(deriving command: (Int) -> Command, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        for attempt in 0..<Limits.codeAttemptsMax {
            do {
                return try await submit(command(attempt), by: caller, at: at)
            } catch .rejected(.secretTaken) {
                continue
            }
        }
        throw .failed("no free code after \(Limits.codeAttemptsMax) derivations")
    }
}

extension GreenTea {
    /// Enters a stamp code for the caller's card.
    ///
    /// - Parameter campaign: if given, the code must belong to it.
    public func stamp(
        _ code: TypedCode, campaign: CampaignID? = nil, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let command = Stamp(secret: keys.secret(ofStampCode: code), campaign: campaign, firstCard: newID())
        return try await submit(.stamp(command), by: caller, at: at)
    }

    /// The reward is empty if the shop's owner was erased.
    public func opened(_ card: Card) throws(ServiceError) -> Card {
        var shown = card
        switch card.reward {
        case .sealed(let sealed):
            do { shown.reward = .clear(try keyStore.reward(sealed, of: card.shop) ?? "") } catch { throw ServiceError(storage: error) }
        case .clear:
            // A reward that an older version stored unsealed outlives the shop's key.
            if try reading({ try $0.shop(card.shop) })?.contact == .erased { shown.reward = .clear("") }
        }
        for place in shown.terms.milestones.indices {
            guard case .sealed(let sealed) = shown.terms.milestones[place].reward else { continue }
            let reward = try open(sealed, as: .milestoneReward, of: card.shop.keyHolder) ?? ""
            shown.terms.milestones[place].reward = .clear(reward)
        }
        return shown
    }

    public func claimCoupon(of campaign: CampaignID, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        try await submit(.claimCoupon(ClaimCoupon(campaign: campaign, card: newID())), by: caller, at: at)
    }

    /// Whether a number belongs to an account, or is claimed for one.
    public func isKnown(_ phone: E164Number) throws(ServiceError) -> Bool {
        if try account(ofPhone: phone) != nil { return true }
        return try hasClaim(phone)
    }

    /// Whether the account owns or works for one of the campaign's shops.
    public func mayGiveStamps(of campaign: CampaignID, by account: AccountID) throws(ServiceError) -> Bool {
        try reading { past in
            guard let known = try past.campaign(campaign), let home = try past.shop(known.shop) else { return false }
            let named = try known.options.shops.compactMap { try past.shop($0) }
            return CampaignShops(home: home, named: named).employs(account)
        }
    }

    /// Prepares a command, see ``GiveStamps``.
    public func giving(_ stamps: Int, at place: CampaignPlace, to holder: AccountID) -> (Int) -> Command {
        giving(stamps, at: place, to: holder, isWaiting: false)
    }

    /// Stamps the card of a customer who tells their phone number. An unknown number is reserved for the person who verifies it within
    /// `Limits.waitingSeconds`.
    public func giveStamps(_ gift: NumberGift) async throws(ServiceError) -> Acceptance {
        try await giveStamps(gift) {}
    }

    /// Like ``giveStamps(_:)``; looks the number up again if its account is erased meanwhile.
    ///
    /// - Parameter found: called after each look-up, before the writer decides.
    func giveStamps(_ gift: NumberGift, found: () async -> Void) async throws(ServiceError) -> Acceptance {
        let name = keys.phoneName(of: gift.phone.text)
        guard numberLocks.share(name) else { throw .overloaded }
        return try await locked { [numberLocks] in
            numberLocks.endSharing(name)
        } while: { () throws(ServiceError) -> Acceptance in
            let isEmployed = try mayGiveStamps(of: gift.place.campaign, by: gift.caller.account)
            do throws(ServiceError) { return try await give(gift, isEmployed: isEmployed, found: found) } catch {
                guard isEmployed, error == .rejected(.notFound) else { throw error }
            }
            return try await give(gift, isEmployed: isEmployed, found: found)
        }
    }

    private func give(_ gift: NumberGift, isEmployed: Bool, found: () async -> Void) async throws(ServiceError) -> Acceptance {
        let (phone, caller) = (gift.phone, gift.caller)
        var (holder, isWaiting) = (keys.nobody(withPhone: phone.text), true)
        // A retry gets the earlier answer, even if another account has the number now.
        if isEmployed, try !isAnswered(caller) {
            try requireHolder(of: phone)
            // Otherwise anybody could fill the key store with reserved numbers.
            if try !isKnown(phone) { try requireAcceptance(of: gift, to: holder) }
            switch try await registrations(of: [phone.text])[0] {
            case .known(let account): (holder, isWaiting) = (account.id, false)
            case .new(let registration): holder = registration.account
            }
        }
        let command = giving(gift.stamps, at: gift.place, to: holder, isWaiting: isWaiting)
        await found()
        return try await submit(deriving: command, by: caller)
    }

    private func requireAcceptance(of gift: NumberGift, to holder: AccountID) throws(ServiceError) {
        let command = giving(gift.stamps, at: gift.place, to: holder, isWaiting: true)(0)
        try reading { past in
            var past = past
            // `.secretTaken` only means that another code must be derived.
            if case .failure(let rejection) = try command.decide(in: &past, by: gift.caller.account, at: clock.now()),
                rejection != .secretTaken
            {
                throw ServiceError.rejected(rejection)
            }
        }
    }

    /// The present holder of a requested number may be another person.
    private func requireHolder(of phone: E164Number) throws(ServiceError) {
        guard case .coming(let account) = try holder(of: phone.text), let coming = account.comingPhone else { return }
        throw .tooManyTries(seconds: max(1, (coming.holdsAt.microseconds - phoneTime(of: account).microseconds) / 1_000_000))
    }

    private func giving(_ stamps: Int, at place: CampaignPlace, to holder: AccountID, isWaiting: Bool) -> (Int) -> Command {
        let id: CodeID = newID()
        let firstCard: CardID = newID()
        return { [keys] attempt in
            let issue = keys.issue(id, at: place, attempt: attempt, stamps: stamps, validFor: 1)
            return .giveStamps(GiveStamps(issue: issue, holder: holder, isWaiting: isWaiting, firstCard: firstCard))
        }
    }

    /// Takes back stamps of the code that the event at `position` used, see ``ReverseStamp``.
    ///
    /// - Parameters:
    ///   - position: any stamp of the code, on a card or on paper.
    ///   - stamps: nil for all that are left.
    /// - Throws: `.rejected(.notFound)` if there is no stamp.
    public func reverseStamp(
        at position: Position, stamps: Int? = nil, reason: String, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        try await reverseStamp(at: position, stamps: stamps, reason: reason, by: caller) {}
    }

    /// Seals the reason again if an account took the paper card meanwhile.
    ///
    /// - Parameter sealed: called after each sealing, before the writer decides.
    func reverseStamp(
        at position: Position, stamps: Int? = nil, reason: String, by caller: Caller, sealed: () async -> Void
    ) async throws(ServiceError) -> Acceptance {
        let command = try await reversal(at: position, stamps, reason: reason)
        await sealed()
        do throws(ServiceError) { return try await submit(command, by: caller) } catch {
            guard error == .rejected(.versionConflict) else { throw error }
        }
        let again = try await reversal(at: position, stamps, reason: reason)
        await sealed()
        return try await submit(again, by: caller)
    }

    private func reversal(at position: Position, _ stamps: Int?, reason: String) async throws(ServiceError) -> Command {
        let stamp = try reading { past -> (code: CodeID, shop: ShopID, holder: AccountID?)? in
            guard let event = try past.source.event(at: position) else { return nil }
            switch try LoyaltyCodec.decode(event).event {
            // An account may have taken the card over since.
            case .cardStamped(let stamp): return (stamp.code, stamp.shop, try past.card(stamp.card)?.holder ?? stamp.holder)
            case .paperStamped(let stamp):
                return (stamp.code, stamp.shop, try past.uses(of: stamp.code).first.flatMap { try past.card($0.card)?.holder })
            default: return nil
            }
        }
        guard let stamp else { throw .rejected(.notFound) }
        // An untaken paper has no holder, so the shop's key seals the reason.
        let words =
            if let holder = stamp.holder {
                try sealed(.clear(reason), about: holder)
            } else {
                try await sealed(reason, within: Loyalty.Limits.reason, about: stamp.shop)
            }
        return .reverseStamp(ReverseStamp(code: stamp.code, stamps: stamps, reason: words, isSealedForPaper: stamp.holder == nil))
    }

    /// Requests a redemption code. The log does not contain it, see `redemptionCode(of:)`.
    ///
    /// - Parameter milestone: its number of stamps; nil for the full card's reward.
    public func requestRedemption(
        of card: CardID, milestone: Int? = nil, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let id: RedemptionID = newID()
        let command = { [keys] (attempt: Int) -> Command in
            let secret = keys.secret(ofRedemptionCode: keys.redemptionCode(for: id, attempt: attempt))
            return .requestRedemption(RequestRedemption(redemption: id, card: card, milestone: milestone, secret: secret, attempt: attempt))
        }
        return try await submit(deriving: command, by: caller, at: at)
    }

    public func redemptionCode(of requested: RedemptionRequested) -> TypedCode {
        keys.redemptionCode(for: requested.redemption, attempt: requested.attempt)
    }

    public func redemptionCode(of requested: MilestoneRequested) -> TypedCode {
        keys.redemptionCode(for: requested.redemption, attempt: requested.attempt)
    }

    public func redeem(_ code: TypedCode, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        try await submit(.redeem(Redeem(secret: keys.secret(ofRedemptionCode: code))), by: caller, at: at)
    }

    /// The caller may work at several of the campaign's shops.
    public func redeem(_ shown: ShownReward, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: redeeming(shown), by: shown.caller, at: at)
    }

    private func redeeming(_ shown: ShownReward) -> (Int) -> Command {
        { [keys] _ in .redeem(Redeem(secret: keys.secret(ofRedemptionCode: shown.code), shop: shown.shop?.id)) }
    }

    public func reverse(_ redemption: RedemptionID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let holder = try reading { try $0.redemption(redemption)?.holder }
        let reason = try sealed(.clear(reason), about: holder)
        return try await submit(.reverseRedemption(ReverseRedemption(redemption: redemption, reason: reason)), by: caller)
    }

    /// Whether a code was valid once and no longer is, to tell an old code from guessing. A client MUST NOT learn the answer.
    public func wasGood(_ code: TypedCode) throws(ServiceError) -> Bool {
        let now = clock.now()
        return try reading { past in
            guard let redemption = try past.redemption(secret: keys.secret(ofRedemptionCode: code)),
                let card = try past.card(redemption.card)
            else { return false }
            return redemption.status(at: now, of: card) != .pending
        }
    }

    /// Checks without changes whether `redeem` would succeed.
    ///
    /// - Throws: `.rejected(.redemptionNotValid)` exactly when `redeem` would throw it.
    public func previewRedemption(
        _ code: TypedCode, shop: NamedShop? = nil, by caller: Caller, at time: Instant? = nil
    ) throws(ServiceError) -> (Redemption, Card) {
        let (secret, now) = (keys.secret(ofRedemptionCode: code), time ?? clock.now())
        return try reading { past in
            var past = past
            let decision = try Command.redeem(Redeem(secret: secret, shop: shop?.id)).decide(in: &past, by: caller.account, at: now)
            if case .failure(let rejection) = decision { throw ServiceError.rejected(rejection) }
            guard let redemption = try past.redemption(secret: secret), let card = try past.card(redemption.card) else {
                throw ServiceError.rejected(.redemptionNotValid)
            }
            return (redemption, card)
        }
    }
}

extension Keys {
    fileprivate func issue(_ code: CodeID, at place: CampaignPlace, attempt: Int, stamps: Int, validFor: Int) -> IssueCode {
        IssueCode(
            code: code, campaign: place.campaign, secret: secret(ofStampCode: stampCode(for: code, attempt: attempt)), attempt: attempt,
            stamps: stamps, validFor: validFor, shop: place.shop)
    }
}
