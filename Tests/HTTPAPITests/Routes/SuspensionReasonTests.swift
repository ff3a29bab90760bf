import Testing

@Suite("Reasons of suspensions", .timeLimit(.minutes(15)))
struct SuspensionReasonTests {
    @Test("Operators alone read why a shop or an account is suspended, and only while it is")
    func read() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            let paths = ["/v1/admin/shops/\(cast.shop)/suspension", "/v1/admin/accounts/\(cast.customer.account)/suspension"]
            for path in paths {
                try await head.get(path).expectProblem("notFound", 404)
                for reason in ["Sells codes", "又卖集点码"] {
                    let body = #"{"reason":"\#(reason)"}"#
                    let begun = path.contains("shops") ? try await head.post(path, body) : try await head.put(path, body)
                    #expect(begun.status == 204, "\(begun.text)")
                    stage.clock.advance(seconds: 60)
                    let found = try await head.get(path)
                    #expect(try found.string("reason") == reason && !found.string("at").isEmpty)
                    try await cast.owner.get(path).expectProblem("forbidden", 403)
                    #expect(try await head.delete(path).status == 204)
                    try await head.get(path).expectProblem("notFound", 404)
                }
            }
        }
    }
}
