public import CommandService
public import EventLog
public import Loyalty
public import LoyaltyCodec

extension GreenTea {
    /// Issues a one-time stamp code. The log does not contain the code itself: it is derived from the id, see `stampCode(of:)`.
    ///
    /// - Parameters:
    ///   - stamps: the number of stamps that the code is worth, 1 to 10.
    ///   - validFor: the number of seconds for which the code is valid, at most a day.
    public func issueCode(
        of campaign: CampaignID, stamps: Int, validFor: Int, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: issuing(CampaignPlace(campaign), stamps: stamps, validFor: validFor), by: caller, at: at)
    }

    /// Issues a code at one of the campaign's shops, valid for the usual time.
    ///
    /// - Parameter at: the time of the event; nil for the present time of the service's clock.
    public func issueCode(_ offer: CodeOffer, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        let validFor = Loyalty.Limits.codeValiditySecondsDefault
        return try await submit(deriving: issuing(offer.place, stamps: offer.stamps, validFor: validFor), by: caller, at: at)
    }

    /// Prepares a command that issues a code. The closure takes the number of the attempt and returns the command; each attempt derives
    /// another code from the code's id.
    public func issuing(_ place: CampaignPlace, stamps: Int, validFor: Int) -> (Int) -> Command {
        let id: CodeID = newID()
        return { [keys] attempt in .issueCode(keys.issue(id, at: place, attempt: attempt, stamps: stamps, validFor: validFor)) }
    }

    /// Prepares a command that issues several codes at once, or none. The closure takes the number of the attempt and returns the command;
    /// each attempt derives other codes from the codes' ids.
    ///
    /// - Parameter count: 1 to 100.
    public func issuingStrip(_ place: CampaignPlace, count: Int, stamps: Int, validFor: Int) -> (Int) -> Command {
        // The decision refuses more codes than a strip may have. So for a larger count, one id more than the maximum suffices to get the
        // refusal.
        let ids: [CodeID] = (0..<max(0, min(count, Loyalty.Limits.stripCodesMax + 1))).map { _ in newID() }
        return { [keys] attempt in
            .issueStrip(
                IssueStrip(codes: ids.map { keys.issue($0, at: place, attempt: attempt, stamps: stamps, validFor: validFor) }))
        }
    }

    /// Issues the codes of a prepared command; see ``issuing(_:stamps:validFor:)`` and ``issuingStrip(_:count:stamps:validFor:)``.
    public func issue(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    /// The text of an issued stamp code, which the customer types.
    public func stampCode(of issued: CodeIssued) -> TypedCode {
        keys.stampCode(for: issued.code, attempt: issued.attempt)
    }

    /// Whether a code exists and was used. The caller uses the answer to distinguish a person who entered a used code from one who guesses.
    /// A client MUST NOT learn the answer.
    public func wasUsed(stampCode code: TypedCode) throws(ServiceError) -> Bool {
        try reading { try $0.code(secret: keys.secret(ofStampCode: code))?.isUsed ?? false }
    }

    /// Withdraws an open code.
    public func destroyCode(_ code: CodeID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.destroyCode(DestroyCode(code: code)), by: caller)
    }

    /// Withdraws the open codes that one member of a shop issued. Codes that the member issues during the call are not included.
    ///
    /// - Returns: the acceptance of the last step. Only this step has the mark of the idempotency key, because a repetition of the earlier
    ///   steps changes nothing.
    public func destroyCodes(of issuer: AccountID, at shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        // A retry, or a request whose key was used for something else, is answered before any code is destroyed.
        if try isAnswered(caller) {
            return try await submit(.destroyCodes(DestroyCodes(shop: shop, issuer: issuer, codes: [])), by: caller)
        }
        // The codes are read only if the caller works at the shop. For any other caller, the decision refuses the command without the
        // codes.
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

    /// Submits a command that contains a code derived from an id. If the code collides with an existing one, another code is derived, and
    /// the command is submitted again.
    ///
    /// - Parameter command: takes the number of the attempt, from 0, and returns the command with the code of that attempt.
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
    /// Enters a stamp code, so that the caller's card gains the stamps of the code.
    ///
    /// - Parameter campaign: if given, the code must belong to this campaign.
    public func stamp(
        _ code: TypedCode, campaign: CampaignID? = nil, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let command = Stamp(secret: keys.secret(ofStampCode: code), campaign: campaign, firstCard: newID())
        return try await submit(.stamp(command), by: caller, at: at)
    }

    /// Claims the caller's coupon of a campaign, which is a card that is full from the start.
    public func claimCoupon(of campaign: CampaignID, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        try await submit(.claimCoupon(ClaimCoupon(campaign: campaign, card: newID())), by: caller, at: at)
    }

    /// Whether a phone number belongs to an account, or is claimed for an account, for example because a shop stamped a card for the
    /// number.
    public func isKnown(_ phone: E164Number) throws(ServiceError) -> Bool {
        if try account(ofPhone: phone) != nil { return true }
        return try hasClaim(phone)
    }

    /// Whether an account may give stamps of a campaign: as the owner or staff of one of its shops.
    public func mayGiveStamps(of campaign: CampaignID, by account: AccountID) throws(ServiceError) -> Bool {
        try reading { past in
            guard let known = try past.campaign(campaign), let home = try past.shop(known.shop) else { return false }
            let named = try known.options.shops.compactMap { try past.shop($0) }
            return CampaignShops(home: home, named: named).employs(account)
        }
    }

    /// Prepares a command that stamps a customer's card at the counter, without a code that anybody types; see ``GiveStamps``.
    public func giving(_ stamps: Int, at place: CampaignPlace, to holder: AccountID) -> (Int) -> Command {
        giving(stamps, at: place, to: holder, isWaiting: false)
    }

    /// Stamps the card of a customer who tells their phone number.
    ///
    /// If no account has the number, it is reserved for a new account. The person who verifies the number within `Limits.waitingSeconds`
    /// gets this account. If the caller may not give stamps, no number is reserved.
    public func giveStamps(_ gift: NumberGift) async throws(ServiceError) -> Acceptance {
        try await giveStamps(gift) {}
    }

    /// Like ``giveStamps(_:)``. If the number's account is erased after the look-up, the decision does not find it. The number is then
    /// looked up again, and treated like any unknown number.
    ///
    /// - Parameter found: called after each look-up, before the writer decides.
    func giveStamps(_ gift: NumberGift, found: () async -> Void) async throws(ServiceError) -> Acceptance {
        let name = keys.phoneName(of: gift.phone.text)
        guard numberLocks.share(name) else { throw .overloaded }
        defer { numberLocks.endSharing(name) }
        let isEmployed = try mayGiveStamps(of: gift.place.campaign, by: gift.caller.account)
        do throws(ServiceError) { return try await give(gift, isEmployed: isEmployed, found: found) } catch {
            guard isEmployed, error == .rejected(.notFound) else { throw error }
        }
        return try await give(gift, isEmployed: isEmployed, found: found)
    }

    /// Looks the number up once, and gives the stamps to its holder.
    private func give(_ gift: NumberGift, isEmployed: Bool, found: () async -> Void) async throws(ServiceError) -> Acceptance {
        let (phone, caller) = (gift.phone, gift.caller)
        var (holder, isWaiting) = (keys.nobody(withPhone: phone.text), true)
        // If the writer has already accepted this request, the holder is not looked up: the writer gives the earlier answer, even if
        // another account has the number now.
        if isEmployed, try !isAnswered(caller) {
            try requireHolder(of: phone)
            // A number is reserved only for a gift that the rules allow. Otherwise anybody could fill the key store with numbers.
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

    /// Requires that a gift to a new holder would be accepted now. Nothing is recorded.
    private func requireAcceptance(of gift: NumberGift, to holder: AccountID) throws(ServiceError) {
        let command = giving(gift.stamps, at: gift.place, to: holder, isWaiting: true)(0)
        try reading { past in
            var past = past
            // A rejection with `.secretTaken` means only that the derived code exists already. The gift is then submitted again with
            // another code.
            if case .failure(let rejection) = try command.decide(in: &past, by: gift.caller.account, at: clock.now()),
                rejection != .secretTaken
            {
                throw ServiceError.rejected(rejection)
            }
        }
    }

    /// Refuses a number that an operator has requested for an account and that is not yet in force. The number's present holder may be
    /// another person, and the account may never get the number.
    private func requireHolder(of phone: E164Number) throws(ServiceError) {
        guard case .coming(let account) = try holder(of: phone.text), let coming = account.comingPhone else { return }
        throw .tooManyTries(seconds: max(1, (coming.holdsAt.microseconds - phoneTime(of: account).microseconds) / 1_000_000))
    }

    /// Prepares a command that gives stamps. The closure takes the number of the attempt and returns the command; each attempt derives
    /// another code.
    private func giving(_ stamps: Int, at place: CampaignPlace, to holder: AccountID, isWaiting: Bool) -> (Int) -> Command {
        let id: CodeID = newID()
        let firstCard: CardID = newID()
        return { [keys] attempt in
            let issue = keys.issue(id, at: place, attempt: attempt, stamps: stamps, validFor: 1)
            return .giveStamps(GiveStamps(issue: issue, holder: holder, isWaiting: isWaiting, firstCard: firstCard))
        }
    }

    /// Takes back all stamps that were given with one code: the code that the event at `position` used. See ``ReverseStamp``.
    ///
    /// - Parameter position: the position of any stamp of the code, on a card or on paper.
    /// - Throws: `.rejected(.notFound)` if there is no stamp at the position.
    public func reverseStamp(at position: Position, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await reverseStamp(at: position, reason: reason, by: caller) {}
    }

    /// Like ``reverseStamp(at:reason:by:)``. If an account took the stamped paper card after the reason was sealed for the shop, the reason
    /// is sealed again for the account, and the command is submitted again.
    ///
    /// - Parameter sealed: called after each sealing, before the writer decides.
    func reverseStamp(
        at position: Position, reason: String, by caller: Caller, sealed: () async -> Void
    ) async throws(ServiceError) -> Acceptance {
        let command = try await reversal(at: position, reason: reason)
        await sealed()
        do throws(ServiceError) { return try await submit(command, by: caller) } catch {
            guard error == .rejected(.versionConflict) else { throw error }
        }
        let again = try await reversal(at: position, reason: reason)
        await sealed()
        return try await submit(again, by: caller)
    }

    /// The command that takes back the stamps of an event.
    private func reversal(at position: Position, reason: String) async throws(ServiceError) -> Command {
        let stamp = try reading { past -> (code: CodeID, shop: ShopID, holder: AccountID?)? in
            guard let event = try past.source.event(at: position) else { return nil }
            switch try LoyaltyCodec.decode(event).event {
            // An account may have taken the card over since it was stamped.
            case .cardStamped(let stamp): return (stamp.code, stamp.shop, try past.card(stamp.card)?.holder ?? stamp.holder)
            case .paperStamped(let stamp):
                return (stamp.code, stamp.shop, try past.uses(of: stamp.code).first.flatMap { try past.card($0.card)?.holder })
            default: return nil
            }
        }
        guard let stamp else { throw .rejected(.notFound) }
        // If the stamps are on a paper card that nobody has taken, they have no holder yet, so the reason is sealed under the shop's key.
        let words =
            if let holder = stamp.holder {
                try sealed(.clear(reason), about: holder)
            } else {
                try await sealed(reason, within: Loyalty.Limits.reason, about: stamp.shop)
            }
        return .reverseStamp(ReverseStamp(code: stamp.code, reason: words, isSealedForPaper: stamp.holder == nil))
    }

    /// Discards a card.
    public func discardCard(_ card: CardID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.discardCard(DiscardCard(card: card)), by: caller)
    }

    /// Requests a redemption code for a full card, or for a milestone of a card. The log does not contain the code itself, see
    /// `redemptionCode(of:)`.
    ///
    /// - Parameter milestone: the milestone, named by its number of stamps; nil for the full card's reward.
    public func requestRedemption(
        of card: CardID, milestone: Int? = nil, by caller: Caller, at: Instant? = nil
    ) async throws(ServiceError) -> Acceptance {
        let id: RedemptionID = newID()
        let command = { [keys] (attempt: Int) -> Command in
            let secret = keys.secret(ofRedemptionCode: keys.redemptionCode(for: id, attempt: attempt))
            return .requestRedemption(
                RequestRedemption(redemption: id, card: card, milestone: milestone, secret: secret, attempt: attempt))
        }
        return try await submit(deriving: command, by: caller, at: at)
    }

    /// The text of a redemption code, which the customer shows at the counter.
    public func redemptionCode(of requested: RedemptionRequested) -> TypedCode {
        keys.redemptionCode(for: requested.redemption, attempt: requested.attempt)
    }

    /// The text of the redemption code for a milestone, which the customer shows at the counter.
    public func redemptionCode(of requested: MilestoneRequested) -> TypedCode {
        keys.redemptionCode(for: requested.redemption, attempt: requested.attempt)
    }

    /// Hands out the reward for a redemption code.
    public func redeem(_ code: TypedCode, by caller: Caller, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        try await submit(.redeem(Redeem(secret: keys.secret(ofRedemptionCode: code))), by: caller, at: at)
    }

    /// Hands out the reward of a code that a customer showed at a counter. The caller may work at several of the campaign's shops.
    ///
    /// - Parameter at: the time of the event; nil for the present time of the service's clock.
    public func redeem(_ shown: ShownReward, at: Instant? = nil) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: redeeming(shown), by: shown.caller, at: at)
    }

    /// Prepares a command that hands out a reward. The command is the same for each attempt, because it derives no code.
    private func redeeming(_ shown: ShownReward) -> (Int) -> Command {
        { [keys] _ in .redeem(Redeem(secret: keys.secret(ofRedemptionCode: shown.code), shop: shown.shop?.id)) }
    }

    /// Takes back a reward that was handed out by mistake.
    public func reverse(
        _ redemption: RedemptionID, reason: String, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        let holder = try reading { try $0.redemption(redemption)?.holder }
        let reason = try sealed(.clear(reason), about: holder)
        return try await submit(.reverseRedemption(ReverseRedemption(redemption: redemption, reason: reason)), by: caller)
    }

    /// Whether a code was valid once and no longer is, because it was redeemed, replaced by a newer one, or has expired. The caller uses
    /// the answer to distinguish a person with an old code from one who guesses. A code that is still valid was refused for another reason,
    /// and is treated as a guess. A client MUST NOT learn the answer.
    public func wasGood(_ code: TypedCode) throws(ServiceError) -> Bool {
        let now = clock.now()
        return try reading { past in
            guard let redemption = try past.redemption(secret: keys.secret(ofRedemptionCode: code)),
                let card = try past.card(redemption.card)
            else { return false }
            return redemption.status(at: now, of: card) != .pending
        }
    }

    /// Checks whether `redeem` would succeed now, by the same rules. Nothing is changed.
    ///
    /// - Parameter time: the moment at which the code is shown; nil for now.
    /// - Returns: the redemption and its card in their present state.
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
    /// The command that issues a code. The code is derived from its id and the number of the attempt.
    fileprivate func issue(_ code: CodeID, at place: CampaignPlace, attempt: Int, stamps: Int, validFor: Int) -> IssueCode {
        IssueCode(
            code: code, campaign: place.campaign, secret: secret(ofStampCode: stampCode(for: code, attempt: attempt)), attempt: attempt,
            stamps: stamps, validFor: validFor, shop: place.shop)
    }
}
