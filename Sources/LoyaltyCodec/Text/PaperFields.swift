internal import Loyalty

/// The fields that name a paper card. The extensions below use them for the text form of events about paper cards.
extension PaperName {
    fileprivate var fields: [FactField] { [FactField("paper", .id(id)), FactField("print", .id(print))] }
}

extension PaperCardsPrinted {
    var fields: [FactField] {
        [
            FactField("print", .id(print)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("count", .integer(count)), FactField("attempt", .integer(attempt)), FactField("secret", .secret(secret)),
        ]
    }
}

extension PaperStamped {
    var fields: [FactField] {
        paper.fields + [
            FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("stamps", .integer(stamps)),
        ] + homeFields
    }
}

extension PaperCardTaken {
    var fields: [FactField] {
        paper.fields + [
            FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("holder", .id(holder)),
            FactField("stamps", .integer(stamps)),
        ]
    }
}

extension PaperStampReversed {
    var fields: [FactField] {
        paper.fields + [
            FactField("code", .id(code)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("stamps", .integer(stamps)), FactField("reason", .typed(reason)),
        ] + homeFields
    }
}
