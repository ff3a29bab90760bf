import HTTPTypes
import Testing

/// A client that keeps a copy of an account's objects with `GET /me/changes`.
struct ChangeFeed {
    /// The objects, by kind and id.
    private(set) var copy: [String: JSONValue] = [:]
    private(set) var position = 0
    /// The positions at which each object was shown.
    private(set) var shown: [String: [Int]] = [:]
    private(set) var pages = 0

    /// Starts after the position of a snapshot.
    init(after position: Int = 0) {
        self.position = position
    }

    /// Reads all pages after the feed's position.
    mutating func follow(_ visitor: Visitor) async throws {
        var hasMore = true
        while hasMore {
            let page = try await visitor.get("/v1/me/changes?after=\(position)")
            try #require(page.status == 200, "\(page.text)")
            let reached = try page.int("position")
            for item in try #require(try page.json["items"]?.items) {
                let thing = "\(item["kind"]?.string ?? "") \(item["id"]?.string ?? "")"
                let at = try #require(item["position"]?.int)
                #expect(at > position && at <= reached, "\(thing)")
                #expect((item["removed"] == nil) != (item["value"] == nil), "\(thing)")
                shown[thing, default: []].append(at)
                copy[thing] = item["removed"] == nil ? item["value"] : nil
            }
            #expect(page.headers[HTTPField.Name("GreenTea-Position")!] == "\(reached)")
            hasMore = try page.json["more"] == .bool(true)
            // If a page says that more pages follow, its position must advance.
            #expect(hasMore ? reached > position : reached >= position)
            position = reached
            pages += 1
        }
    }

    /// The keys of the objects of one kind.
    func things(_ kind: String) -> Set<String> { Set(copy.keys.filter { $0.hasPrefix(kind + " ") }) }
}
