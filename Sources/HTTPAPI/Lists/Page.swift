/// One page of a list, and how to get the next.
struct Page<Item: JSONWritable>: JSONWritable {
    let items: [Item]
    /// The cursor of the next page; `nil` on the last.
    let next: String?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.array("items", items)
            $0.field("next", next)
        }
    }
}
