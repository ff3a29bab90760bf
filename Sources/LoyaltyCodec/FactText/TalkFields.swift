internal import Loyalty

/// How the removal of reviews and pictures, notices and feedback are shown.
extension ReviewRemoved {
    var fields: [FactField] {
        [
            FactField("review", .id(review)), FactField("thread", .id(thread)), FactField("shop", .id(shop)),
            FactField("author", .id(author)), FactField("byOperator", .symbol(byOperator ? "true" : "false")),
        ]
    }
}

extension NoticePosted {
    var fields: [FactField] {
        [
            FactField("notice", .id(notice)), FactField("audience", audience.shop.map { .id($0) } ?? .symbol("all")),
            FactField("author", .id(author)), FactField("title", .sealed(title)), FactField("text", .sealed(text)),
        ]
    }
}

extension NoticeRead {
    var fields: [FactField] {
        [FactField("notice", .id(notice)), FactField("account", .id(account))]
    }
}

extension FeedbackGiven {
    var fields: [FactField] {
        [FactField("author", .id(author)), FactField("text", .sealed(text))]
    }
}

extension ImageTakenDown {
    var fields: [FactField] {
        [FactField("image", .id(image)), FactField("byOperator", .symbol(byOperator ? "true" : "false"))]
    }
}
