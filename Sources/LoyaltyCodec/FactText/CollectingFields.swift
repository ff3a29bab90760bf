internal import Loyalty

/// How the events of campaigns, codes, cards and redemptions are shown.
extension CampaignPublished {
    var fields: [FactField] {
        let word =
            switch kind {
            case .stampCard: "stampCard"
            case .promotion: "promotion"
            }
        return [
            FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("kind", .symbol(word)),
            FactField("title", .typed(title)), FactField("details", .typed(details)), FactField("goal", .integer(goal)),
            FactField("reward", .typed(reward)), FactField("startsAt", .time(startsAt)), FactField("endsAt", .time(endsAt)),
        ] + FactField.images(image.map { [$0] } ?? []) + caps.fields
    }
}

extension CampaignEdited {
    var fields: [FactField] {
        [
            FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("title", .typed(title)),
            FactField("details", .typed(details)), FactField("goal", .integer(goal)), FactField("reward", .typed(reward)),
            FactField("startsAt", .time(startsAt)), FactField("endsAt", .time(endsAt)),
        ] + FactField.images(image.map { [$0] } ?? []) + caps.fields
    }
}

extension StampCaps {
    /// Only those that are on.
    fileprivate var fields: [FactField] {
        var fields: [FactField] = []
        if let stampsPerDayMax { fields.append(FactField("stampsPerDayMax", .integer(stampsPerDayMax))) }
        if let minimumGapSeconds { fields.append(FactField("minimumGapSeconds", .integer(minimumGapSeconds))) }
        return fields
    }
}

extension CampaignEnded {
    var fields: [FactField] {
        [FactField("campaign", .id(campaign)), FactField("shop", .id(shop))]
    }
}

extension CodeIssued {
    var fields: [FactField] {
        [
            FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("stamps", .integer(stamps)), FactField("expiresAt", .time(expiresAt)),
            FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret)),
        ]
    }
}

extension CodeDestroyed {
    var fields: [FactField] {
        [FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop))]
    }
}

extension CardOpened {
    var fields: [FactField] {
        [
            FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("holder", .id(holder)), FactField("goal", .integer(goal)), FactField("reward", .typed(reward)),
        ]
    }
}

extension CardStamped {
    var fields: [FactField] {
        [
            FactField("card", .id(card)), FactField("code", .id(code)), FactField("campaign", .id(campaign)),
            FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps)),
        ]
    }
}

extension CardDiscarded {
    var fields: [FactField] {
        [
            FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("holder", .id(holder)),
        ]
    }
}

extension CardAdjusted {
    var fields: [FactField] {
        [
            FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("holder", .id(holder)), FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason)),
        ]
    }
}

extension RedemptionRequested {
    var fields: [FactField] {
        [
            FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)),
            FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("expiresAt", .time(expiresAt)),
            FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret)),
        ]
    }
}

extension CardRedeemed {
    var fields: [FactField] {
        [
            FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)),
            FactField("shop", .id(shop)), FactField("holder", .id(holder)),
        ]
    }
}

extension RedemptionReversed {
    var fields: [FactField] {
        [
            FactField("redemption", .id(redemption)), FactField("card", .id(card)), FactField("campaign", .id(campaign)),
            FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("reason", .typed(reason)),
        ]
    }
}
