extension World {
    /// Folds the next fact into whatever it is about. Facts must come in the order of the log, each once.
    public mutating func evolve(_ fact: Fact) {
        position = fact.position
        switch fact.event {
        case .accountRegistered, .shopOpened, .campaignPublished, .codeIssued, .sessionStarted, .reviewPosted, .replyPosted:
            open(fact)
        case .profileEdited(let event): accounts[event.account]?.evolve(fact)
        case .passwordSet(let event): accounts[event.account]?.evolve(fact)
        case .passwordRemoved(let event): accounts[event.account]?.evolve(fact)
        case .accountErased(let event): accounts[event.account]?.evolve(fact)
        case .sessionRefreshed(let event): sessions[event.session]?.evolve(fact)
        case .sessionEnded(let event): sessions[event.session]?.evolve(fact)
        case .shopEdited(let event): shops[event.shop]?.evolve(fact)
        case .staffAdded(let event): shops[event.shop]?.evolve(fact)
        case .staffRemoved(let event): shops[event.shop]?.evolve(fact)
        case .staffInvited(let event):
            invitations[event.invitation] = Invitation(opening: fact)
            shops[event.shop]?.evolve(fact)
        case .invitationEnded(let event):
            invitations[event.invitation]?.evolve(fact)
            shops[event.shop]?.evolve(fact)
        case .staffJoined(let event):
            invitations[event.invitation]?.evolve(fact)
            shops[event.shop]?.evolve(fact)
        case .employmentEnded(let event): shops[event.shop]?.evolve(fact)
        case .shopSuspended(let event): shops[event.shop]?.evolve(fact)
        case .shopReinstated(let event): shops[event.shop]?.evolve(fact)
        case .shopClosed(let event): shops[event.shop]?.evolve(fact)
        case .campaignEdited(let event): campaigns[event.campaign]?.evolve(fact)
        case .campaignEnded(let event): campaigns[event.campaign]?.evolve(fact)
        case .codeDestroyed(let event): codes[event.code]?.evolve(fact)
        case .cardOpened, .redemptionRequested: open(fact)
        case .cardStamped(let event):
            codes[event.code]?.evolve(fact)
            let slot = CardSlot(holder: event.holder, campaign: event.campaign)
            gains[slot, default: StampGains()].add(StampGains.Gain(at: fact.time, stamps: event.stamps))
            evolveCard(event.card, fact)
        case .cardRedeemed(let event):
            redemptions[event.redemption]?.evolve(fact)
            evolveCard(event.card, fact)
        case .redemptionReversed(let event):
            redemptions[event.redemption]?.evolve(fact)
            evolveCard(event.card, fact)
        case .cardDiscarded(let event): evolveCard(event.card, fact)
        case .cardAdjusted(let event): evolveCard(event.card, fact)
        case .reviewRemoved(let event): reviews[event.review]?.evolve(fact)
        case .noticePosted(let event): notices[event.notice] = Notice(opening: fact)
        case .noticeRead(let event): noticesRead.insert(NoticeReading(notice: event.notice, account: event.account))
        case .shopMuted(let event): mutes.insert(Mute(account: event.account, shop: event.shop))
        case .shopUnmuted(let event): mutes.remove(Mute(account: event.account, shop: event.shop))
        case .feedbackGiven, .imageTakenDown: break
        case .favoriteAdded(let event): favorites.insert(Favorite(account: event.account, campaign: event.campaign))
        case .favoriteRemoved(let event): favorites.remove(Favorite(account: event.account, campaign: event.campaign))
        }
    }

    /// In place, by index: the card's history is never copied, and its new status is read without a second look-up.
    private mutating func evolveCard(_ id: CardID, _ fact: Fact) {
        guard let index = cards.index(forKey: id) else { return }
        let before = cards.values[index].status
        cards.values[index].evolve(fact)
        let now = cards.values[index].status
        guard (before == .collecting) != (now == .collecting) else { return }
        let card = cards.values[index]
        collecting[CardSlot(holder: card.holder, campaign: card.campaign)] = now == .collecting ? id : nil
    }

    private mutating func open(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered: openAccount(fact)
        case .sessionStarted(let event): sessions[event.session] = Session(opening: fact)
        case .shopOpened(let event):
            shops[event.shop] = Shop(opening: fact)
            shopsByOwner[event.owner] = event.shop
        case .campaignPublished(let event):
            campaigns[event.campaign] = Campaign(opening: fact)
            campaignsByShop[event.shop, default: []].append(event.campaign)
        case .codeIssued(let event):
            codes[event.code] = Code(opening: fact)
            codesBySecret[event.secret] = event.code
        case .cardOpened(let event):
            cards[event.card] = Card(opening: fact)
            collecting[CardSlot(holder: event.holder, campaign: event.campaign)] = event.card
        case .redemptionRequested(let event):
            redemptions[event.redemption] = Redemption(opening: fact)
            redemptionsBySecret[event.secret] = event.redemption
            evolveCard(event.card, fact)
        case .reviewPosted(let event): reviews[event.review] = Review(opening: fact)
        case .replyPosted(let event): reviews[event.reply] = Review(opening: fact)
        default: break
        }
    }

    private mutating func openAccount(_ fact: Fact) {
        guard let account = Account(opening: fact) else { return }
        accounts[account.id] = account
        accountsByPhone[account.phone] = account.id
    }
}
