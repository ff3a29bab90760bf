/// A page of notices, with how many of all of them are unread.
struct NoticeListAnswer: JSONWritable {
    let items: [NoticeAnswer]
    let next: String?
    let unread: Int

    func write(to json: inout JSONWriter) {
        json.object {
            $0.array("items", items)
            $0.field("next", next)
            $0.field("unread", unread)
        }
    }
}
