internal import Loyalty

/// Fields for the text form of events about notices, with one extension for each event type.
extension NoticePosted {
    var fields: [FactField] {
        NoticeFields.of(notice, audience, author) + (dueAt.map { [FactField("dueAt", .time($0))] } ?? []) + [
            FactField("title", .sealed(title)), FactField("text", .sealed(text)),
        ]
    }
}

extension NoticeScheduled {
    var fields: [FactField] {
        NoticeFields.of(notice, audience, author) + [
            FactField("publishAt", .time(publishAt)), FactField("title", .sealed(title)), FactField("text", .sealed(text)),
        ]
    }
}

private enum NoticeFields {
    static func of(_ notice: NoticeID, _ audience: NoticeAudience, _ author: AccountID) -> [FactField] {
        let shop: FactValue = audience.shop.map { .id($0) } ?? .symbol("all")
        let campaign = audience.campaign.map { [FactField("holdersOf", .id($0))] } ?? []
        return [FactField("notice", .id(notice)), FactField("audience", shop)] + campaign + [FactField("author", .id(author))]
    }
}
