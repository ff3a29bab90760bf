import HTTPTypes
import Testing

extension UseCase {
    static let account = [signIn, profile, password, feedback, notices, schedule, changes, leaving, problems]

    private static let signIn = UseCase("sign-in", "Sign in, stay signed in, sign out") { director in
        director.say("A phone that nobody has seen: the first code registers it")
        let customer = director.recorded(try await director.anybody.signedIn("+8613800138002", name: "customer"))
        _ = try await customer.get("/v1/me")
        director.say("A wrong code")
        _ = try await director.anybody.post("/v1/sessions", #"{"phone":"+8613800138002","code":"000000"}"#)
        director.say("The refresh token gets the next pair, once")
        // Two tokens signed at the same moment may or may not be the same text. Advancing the clock makes them differ.
        director.clock.advance(seconds: 60)
        let refresh = #"{"refreshToken":"\#(customer.refreshToken ?? "")"}"#
        _ = try await director.anybody.post("/v1/sessions/refresh", refresh)
        director.say("Another tab at the same moment gets the same answer")
        _ = try await director.anybody.post("/v1/sessions/refresh", refresh)
        director.say("Somebody uses it a minute later: the whole session is over")
        director.clock.advance(seconds: 60)
        _ = try await director.anybody.post("/v1/sessions/refresh", refresh)
        _ = try await customer.get("/v1/me")
        director.say("Signing in anew, and out")
        let again = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        _ = try await again.delete("/v1/sessions/current")
        _ = try await again.get("/v1/me")
    }

    private static let profile = UseCase("edit-profile", "Edit my profile", needs: ["PATCH /v1/me"]) { director in
        let customer = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        let me = try await customer.get("/v1/me")
        director.say("What is left out stays, null clears")
        _ = try await customer.send(
            .patch, "/v1/me", #"{"nickname":"小绿","city":"上海","birthday":"1998-05-20"}"#, key: "edit-1",
            headers: [.ifMatch: me.headers[.eTag] ?? "*"])
        _ = try await customer.send(.patch, "/v1/me", #"{"birthday":null}"#, key: "edit-2")
        director.say("Another phone edits what it saw before: nothing is overwritten unseen")
        _ = try await customer.send(
            .patch, "/v1/me", #"{"nickname":"大绿"}"#, key: "edit-3", headers: [.ifMatch: me.headers[.eTag] ?? "\"1\""])
    }

    private static let password = UseCase(
        "change-password", "Set and change a password", needs: ["PUT /v1/me/password", "DELETE /v1/sessions"]
    ) { director in
        let customer = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        let other = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "tablet"))
        director.say("The first one needs a code that was sent to the account's own number")
        let sent = try await director.anybody.post("/v1/verifications", #"{"phone":"+8613800138002"}"#).string("devCode")
        _ = try await customer.send(
            .put, "/v1/me/password", #"{"new":"correct horse battery staple","code":"\#(sent)"}"#, key: "set")
        director.say("The other sessions are over")
        _ = try await other.get("/v1/me")
        director.say("Signing in with it")
        let session = #"{"phone":"+8613800138002","password":"correct horse battery staple"}"#
        _ = try await director.anybody.post("/v1/sessions", session)
        director.say("The next one needs the last one")
        _ = try await customer.send(.put, "/v1/me/password", #"{"current":"wrong horse","new":"another phrase"}"#, key: "change")
        director.say("Where I am signed in, and out in one of these places")
        let places = try await customer.get("/v1/me/sessions")
        let elsewhere = try places.json["items"]?.items?.first { $0["isCurrent"] == .bool(false) }?["id"]?.string
        _ = try await customer.delete("/v1/me/sessions/\(elsewhere ?? "")", key: "there")
        director.say("Without a password again")
        _ = try await customer.delete("/v1/me/password", key: "none")
        director.say("Everywhere out")
        _ = try await customer.delete("/v1/sessions", key: "out")
        _ = try await customer.get("/v1/me")
    }

    private static let feedback = UseCase(
        "feedback", "Tell the operator something", needs: ["POST /v1/feedback", "GET /v1/admin/feedback"]
    ) { director in
        let customer = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        _ = try await customer.post("/v1/feedback", #"{"text":"The map shows the shop on the wrong side of the road."}"#, key: "say")
        director.say("The operator reads it")
        _ = try await director.operator().get("/v1/admin/feedback")
    }

    private static let notices = UseCase(
        "notices", "Send notices, and read them",
        needs: [
            "POST /v1/notices", "GET /v1/me/notices", "PUT /v1/me/notices/{id}/read", "PUT /v1/me/mutes/{shop}",
            "GET /v1/me/mutes", "DELETE /v1/me/mutes/{shop}",
        ]
    ) { director in
        let cast = try await director.cast()
        _ = try await cast.stamp(try await cast.issue().code)
        director.say("The operator to everybody, the owner to those who have had a card there")
        let all = #"{"title":"A new app","text":"Update when you can.","audience":"all"}"#
        _ = try await director.operator().post("/v1/notices", all, key: "all")
        let shop = #"{"title":"Closed on Monday","text":"We repaint the shop.","audience":"shop"}"#
        let notice = try await director.recorded(cast.owner).post("/v1/notices", shop, key: "shop").string("id")
        let customer = director.recorded(cast.customer)
        director.say("Others may not")
        _ = try await customer.post("/v1/notices", all, key: "mine")
        director.say("Two to read, then one")
        _ = try await customer.get("/v1/me/notices")
        _ = try await customer.send(.put, "/v1/me/notices/\(notice)/read", key: "read")
        _ = try await customer.get("/v1/me/notices?limit=1")
        director.say("No more from this shop; later what it posts from then on")
        _ = try await customer.put("/v1/me/mutes/\(cast.shop)", key: "mute")
        _ = try await customer.get("/v1/me/mutes")
        _ = try await cast.owner.post("/v1/notices", #"{"title":"Open again","text":"Come in.","audience":"shop"}"#)
        _ = try await customer.get("/v1/me/notices?limit=1")
        _ = try await customer.delete("/v1/me/mutes/\(cast.shop)", key: "unmute")
    }

    private static let schedule = UseCase(
        "schedule", "Write a notice now that appears later",
        needs: ["POST /v1/notices", "GET /v1/notices/scheduled", "DELETE /v1/notices/{id}", "GET /v1/me/notices"]
    ) { director in
        let cast = try await director.cast()
        _ = try await cast.stamp(try await cast.issue().code)
        let owner = director.recorded(cast.owner)
        director.say("To all customers tomorrow, and to those who hold a card of one campaign")
        let tomorrow = #"{"title":"New tea","text":"Jasmine.","audience":"shop","publishAt":"2026-11-22T09:00:00.000Z"}"#
        _ = try await owner.post("/v1/notices", tomorrow, key: "tomorrow")
        let holders = """
            {"title":"Nearly full","text":"Come by.","audience":"holders","campaign":"\(cast.campaign)",\
            "publishAt":"2026-11-28T09:00:00.000Z"}
            """
        let second = try await owner.post("/v1/notices", holders, key: "holders").string("id")
        director.say("What is to come, and one that is taken back")
        _ = try await owner.get("/v1/notices/scheduled")
        _ = try await owner.delete("/v1/notices/\(second)", key: "withdraw")
        director.say("Not in the past, and not in a year")
        _ = try await owner.post("/v1/notices", tomorrow.replacing("2026-11-22", with: "2026-11-20"))
        _ = try await owner.post("/v1/notices", tomorrow.replacing("2026-11-22", with: "2027-11-22"))
        director.say("A day later it has appeared")
        try await director.wait(seconds: 86_400)
        _ = try await director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer")).get("/v1/me/notices")
        _ = try await director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner")).get("/v1/notices/scheduled")
    }

    private static let changes = UseCase(
        "changes", "Keep a copy of what is mine", needs: ["GET /v1/me/changes", "GET /v1/me/cards"]
    ) { director in
        let cast = try await director.cast()
        _ = try await cast.stamp(try await cast.issue().code)
        let customer = director.recorded(cast.customer)
        director.say("A snapshot, whose position the header names")
        let snapshot = try await customer.get("/v1/me/cards")
        let position = try #require(snapshot.headers[HTTPField.Name("GreenTea-Position")!])
        director.say("Nothing has changed since")
        _ = try await customer.get("/v1/me/changes?after=\(position)")
        director.say("Two stamps more, a favourite that is none again, and a notice")
        _ = try await cast.stamp(try await cast.issue().code)
        _ = try await cast.stamp(try await cast.issue().code)
        _ = try await cast.customer.put("/v1/campaigns/\(cast.campaign)/favorite")
        _ = try await cast.customer.delete("/v1/campaigns/\(cast.campaign)/favorite")
        _ = try await cast.owner.post("/v1/notices", #"{"title":"Open","text":"Come in.","audience":"shop"}"#)
        director.say("Each thing once, as it is now")
        _ = try await customer.get("/v1/me/changes?after=\(position)")
        director.say("No position")
        _ = try await customer.get("/v1/me/changes?after=-1")
    }

    private static let leaving = UseCase(
        "leave", "Take everything with me, and be forgotten",
        needs: ["GET /v1/me/export", "DELETE /v1/me", "GET /v1/erasures/{position}/receipt"]
    ) { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
        _ = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":5,"text":"很好喝！"}"#)
        director.say("Everything that is held about me")
        _ = try await customer.get("/v1/me/export")
        director.say("A session that began more than ten minutes ago proves itself once more")
        director.clock.advance(seconds: 600)
        _ = try await customer.delete("/v1/me")
        let code = try await customer.post("/v1/verifications", #"{"phone":"+8613800138002"}"#).string("devCode")
        director.say("Erased: the sessions are over, the words are gone, the rating still counts")
        let erased = try #require(try await customer.send(.delete, "/v1/me", #"{"code":"\#(code)"}"#, key: "leave").position)
        _ = try await customer.get("/v1/me")
        _ = try await director.anybody.get("/v1/shops/\(cast.shop)/reviews")
        _ = try await director.anybody.get("/v1/shops/\(cast.shop)")
        director.say("The proof of the erasure, for anybody who knows the position and the erased account")
        _ = try await director.anybody.get("/v1/erasures/\(erased)/receipt?account=\(cast.customer.account)")
        director.say("The phone is free for a new account")
        _ = try await director.recorded(try await director.visitor.signedIn("+8613800138002", name: "newcomer")).get("/v1/me")
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
