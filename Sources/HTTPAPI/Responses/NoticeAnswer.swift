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
        json.object { writeFields(to: &$0) }
    }

    /// What an object with more fields begins with.
    func writeFields(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("title", title)
        json.field("text", text)
        json.field("audience", audience.shop == nil ? "all" : "shop")
        writeShop(to: &json)
        json.field("postedAt", postedAt)
        if let isRead { json.field("read", isRead) }
    }

    private func writeShop(to json: inout JSONWriter) {
        guard let shop = audience.shop else { return json.null("shop") }
        json.object("shop") {
            $0.field("id", shop)
            $0.field("name", shopName)
        }
    }
}
