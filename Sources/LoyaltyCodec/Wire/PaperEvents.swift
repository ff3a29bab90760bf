internal import EventLog
internal import Loyalty

extension PaperName {
    fileprivate var tags: [Tag] { [Tag(.print, print.value), Tag(.paper, id.value)] }

    /// Reads the name of a paper card from the event's tags. The number in the name is the id of the paper card minus the id of its print.
    fileprivate init(of event: some StoredEvent & ~Escapable) throws(CodecError) {
        let (print, paper): (PrintID, PaperID) = (try event.id(.print), try event.id(.paper))
        self.init(
            print: print,
            number: try WireRange.check(Int(clamping: paper.value &- print.value), 0...WireRange.papers.upperBound - 1, "number"))
    }
}

extension PaperCardsPrinted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperCardsPrinted()
        message.attempt = try WireRange.wire(attempt, WireRange.attempt, "attempt")
        message.count = try WireRange.wire(count, WireRange.papers, "count")
        let tags = [
            Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.print, print.value), Tag(.printSecret, secret.value),
        ]
        return try EventDraft(.paperCardsPrinted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        let message = try event.message(WirePaperCardsPrinted.self)
        self.init(
            print: try event.id(.print),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            secret: try event.secret(.printSecret),
            attempt: try WireRange.check(message.attempt, WireRange.attempt, "attempt"),
            count: try WireRange.check(message.count, WireRange.papers, "count"))
    }
}

extension PaperStamped {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperStamped()
        message.stamps = try WireRange.wire(stamps, WireRange.stamps, "stamps")
        let own = [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)]
        let tags = try own + paper.tags + WireHome.tags(home, besides: shop)
        return try EventDraft(.paperStamped, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, home: try event.home(besides: 5))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        self.init(
            paper: try PaperName(of: event),
            code: try event.id(.code),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            stamps: try WireRange.check(try event.message(WirePaperStamped.self).stamps, WireRange.stamps, "stamps"))
    }
}

extension PaperCardTaken {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperCardTaken()
        message.stamps = try WireRange.wire(stamps, WireRange.paperStamps, "stamps")
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value)] + paper.tags
        return try EventDraft(.paperCardTaken, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            paper: try PaperName(of: event),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            stamps: try WireRange.check(try event.message(WirePaperCardTaken.self).stamps, WireRange.paperStamps, "stamps"))
    }
}

extension PaperStampReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePaperStampReversed()
        message.stamps = try WireRange.wire(stamps, WireRange.stamps, "stamps")
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let own = [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)]
        let tags = try own + paper.tags + WireHome.tags(home, besides: shop)
        return try EventDraft(.paperStampReversed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, home: try event.home(besides: 5))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        let message = try event.message(WirePaperStampReversed.self)
        self.init(
            paper: try PaperName(of: event),
            code: try event.id(.code),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            stamps: try WireRange.check(message.stamps, WireRange.stamps, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}
