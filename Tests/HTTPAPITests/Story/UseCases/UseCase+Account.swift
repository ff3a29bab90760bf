import HTTPTypes

extension UseCase {
    static let account = [signIn, problems]

    private static let signIn = UseCase("sign-in", "Sign in, stay signed in, sign out") { director in
        director.say("A phone that nobody has seen: the first code registers it")
        let customer = director.recorded(try await director.anybody.signedIn("+8613800138002", name: "customer"))
        _ = try await customer.get("/v1/me")
        director.say("A wrong code")
        _ = try await director.anybody.post("/v1/sessions", #"{"phone":"+8613800138002","code":"000000"}"#)
        director.say("The refresh token gets the next pair, once")
        // Two tokens of one moment may or may not be the same text.
        director.clock.advance(seconds: 60)
        let refresh = #"{"refreshToken":"\#(customer.refreshToken ?? "")"}"#
        _ = try await director.anybody.post("/v1/sessions/refresh", refresh)
        director.say("Somebody uses it again: the whole session is over")
        _ = try await director.anybody.post("/v1/sessions/refresh", refresh)
        _ = try await customer.get("/v1/me")
        director.say("Signing in anew, and out")
        let again = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        _ = try await again.delete("/v1/sessions/current")
        _ = try await again.get("/v1/me")
    }

    private static let problems = UseCase("problems", "What is refused, and how it is said") { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        director.say("Everything that is wrong with a request, at once")
        _ = try await owner.post("/v1/shops/\(cast.shop)/campaigns", #"{"kind":"raffle","title":7,"goal":0}"#)
        director.say("The same in Chinese")
        _ = try await customer.send(.post, "/v1/stamps", #"{"code":7}"#, key: "stamp", headers: [.acceptLanguage: "zh-Hans"])
        director.say("Not signed in, not allowed, not there, not that way")
        _ = try await director.anybody.get("/v1/me")
        _ = try await customer.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody())
        _ = try await customer.get("/v1/cards/card_00000000000000000000000000")
        _ = try await customer.delete("/v1/stamps")
        director.say("Stamping needs a key; a key is for one request")
        _ = try await customer.post("/v1/stamps", #"{"code":"K7QF-2M9X"}"#)
        let code = try await cast.issue().code
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "once")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(try await cast.issue().code)"}"#, key: "once")
        director.say("Ten codes that nobody issued, and the account has to wait")
        for _ in 0..<9 { _ = try await cast.customer.post("/v1/stamps", #"{"code":"0000-0000"}"#, key: "guess") }
        for _ in 0..<2 { _ = try await customer.post("/v1/stamps", #"{"code":"0000-0000"}"#, key: "guess") }
    }
}
