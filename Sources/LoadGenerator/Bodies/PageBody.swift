/// A page of a list.
struct PageBody<Item: Decodable & Sendable>: Decodable, Sendable {
    let items: [Item]
    let next: String?
}
