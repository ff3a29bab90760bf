import HTTPTypes
import Testing

/// A client that keeps its copy of an account's own things by `GET /me/changes`.
struct ChangeFeed {
    /// The things, by kind and id.
    private(set) var copy: [String: JSONValue] = [:]
    private(set) var position = 0
    /// The positions of everything that was shown, by thing.
    private(set) var shown: [String: [Int]] = [:]
    private(set) var pages = 0

    /// Begins behind a snapshot.
    init(after position: Int = 0) {
        self.position = position
    }

    /// Takes in all pages after the feed's position.
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
            // A page that says that there is more goes on.
            #expect(hasMore ? reached > position : reached >= position)
            position = reached
            pages += 1
        }
    }

    /// The things of a kind.
    func things(_ kind: String) -> Set<String> { Set(copy.keys.filter { $0.hasPrefix(kind + " ") }) }
}
