import HTTPTypes
import Testing

@Suite("Reads of a known answer", .timeLimit(.minutes(15)))
struct ConditionalReadTests {
    @Test("A cache does not send a tagged answer to a reader who requires a later position")
    func varying() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for path in ["/v1/campaigns/\(cast.campaign)", "/v1/shops/\(cast.shop)"] {
                let first = try await visitor.get(path)
                #expect(first.status == 200 && first.headers[.vary] == "GreenTea-Min-Position", "\(path)")
                let again = try await visitor.get(path, headers: [.ifNoneMatch: try #require(first.headers[.eTag])])
                #expect(again.status == 304 && again.headers[.vary] == "GreenTea-Min-Position", "\(path)")
            }
        }
    }

    @Test("A known answer is 304 until it changes, also where its version stays")
    func known() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for path in ["/v1/me", "/v1/campaigns/\(cast.campaign)", "/v1/shops/\(cast.shop)"] {
                let first = try await cast.owner.get(path)
                let tag = try #require(first.headers[.eTag])
                for known in [tag, "W/" + tag, "\"0\", " + tag, "*"] {
                    let again = try await cast.owner.get(path, headers: [.ifNoneMatch: known])
                    #expect(again.status == 304 && again.body.isEmpty && again.headers[.eTag] == tag, "\(path) \(known)")
                }
                #expect(try await cast.owner.get(path, headers: [.ifNoneMatch: "\"0\""]).body == first.body)
            }
            let path = "/v1/campaigns/\(cast.campaign)"
            let before = try #require(try await cast.owner.get(path).headers[.eTag])
            #expect(try await cast.customer.put(path + "/favorite").status == 204)
            _ = try await cast.customer.get("/v1/me/favorites")
            let after = try await cast.owner.get(path, headers: [.ifNoneMatch: before])
            #expect(after.status == 200 && after.headers[.eTag] != before)
            #expect(try after.int("favorites") == 1)
            // The version is that of the campaign, so an edit with either tag is in time.
            #expect(try await cast.owner.patch(path, #"{"goal":8}"#, headers: [.ifMatch: before]).status == 200)
            try await cast.owner.patch(path, #"{"goal":9}"#, headers: [.ifMatch: before]).expectProblem("versionConflict", 412)
        }
    }
}
