import Loyalty

/// A notice as its receivers see it.
struct NoticeAnswer: JSONWritable {
    let id: NoticeID
    /// `nil` where its author was erased.
    let title: String?
    /// `nil` where its author was erased.
    let text: String?
    let audience: NoticeAudience
    /// The name of the audience's shop.
    let shopName: String?
    let postedAt: Instant
    /// `nil` where nobody in particular asks.
    var isRead: Bool?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", id)
            $0.field("title", title)
            $0.field("text", text)
            $0.field("audience", audience.shop == nil ? "all" : "shop")
            writeShop(to: &$0)
            $0.field("postedAt", postedAt)
            if let isRead { $0.field("read", isRead) }
        }
    }

    private func writeShop(to json: inout JSONWriter) {
        guard let shop = audience.shop else { return json.null("shop") }
        json.object("shop") {
            $0.field("id", shop)
            $0.field("name", shopName)
        }
    }
}
