import HTTPTypes
import Testing

extension UseCase {
    static let people = [newNumber, lostPhone, suspendedAccount]

    private static let newNumber = UseCase("new-number", "A new phone number", needs: ["PUT /v1/me/phone"]) { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        director.say("A code is sent to the new number; the session is a minute old and shows the present one")
        let code = try await customer.post("/v1/verifications", #"{"phone":"+8613800138088"}"#).string("devCode")
        _ = try await customer.put("/v1/me/phone", #"{"phone":"+8613800138088","code":"\#(code)"}"#, key: "new-number")
        director.say("A number of another account is refused like a wrong code")
        director.clock.advance(seconds: 600)
        let taken = try await customer.post("/v1/verifications", #"{"phone":"+8613800138001"}"#).string("devCode")
        let present = try await customer.post("/v1/verifications", #"{"phone":"+8613800138088"}"#).string("devCode")
        let body = #"{"phone":"+8613800138001","code":"\#(taken)","currentCode":"\#(present)"}"#
        _ = try await customer.put("/v1/me/phone", body, key: "taken")
    }

    private static let lostPhone = UseCase(
        "lost-phone", "A lost phone",
        needs: ["POST /v1/admin/accounts/search", "PUT /v1/admin/accounts/{id}/phone", "DELETE /v1/me/phone/change"]
    ) { director in
        let cast = try await director.cast()
        let officer = director.recorded(try await director.visitor.signedIn(Stage.operatorPhone, name: "operator"))
        let customer = director.recorded(cast.customer)
        director.say("Somebody says that their phone was stolen")
        _ = try await officer.post("/v1/admin/accounts/search", #"{"phone":"+8613800138002"}"#)
        let path = "/v1/admin/accounts/\(customer.account)/phone"
        _ = try await officer.put(path, #"{"phone":"+8613800138099","reason":"Stolen, says the caller"}"#, key: "stolen")
        director.say("It was not: the holder sees it in the app, and objects")
        _ = try await customer.get("/v1/me")
        _ = try await customer.delete("/v1/me/phone/change", key: "object")
        director.say("A month later it is true; nobody objects for 72 hours")
        director.clock.advance(seconds: 30 * 86_400)
        let again = director.recorded(try await director.visitor.signedIn(Stage.operatorPhone, name: "operator"))
        _ = try await again.put(path, #"{"phone":"+8613800138099","reason":"Stolen, passport shown"}"#, key: "stolen-2")
        director.clock.advance(seconds: 72 * 3_600)
        let person = director.recorded(try await director.visitor.signedIn("+8613800138099", name: "customer"))
        _ = try await person.get("/v1/me")
        _ = try await person.get("/v1/me/sessions")
    }

    private static let suspendedAccount = UseCase(
        "suspend-account", "Suspend an account",
        needs: [
            "PUT /v1/admin/accounts/{id}/suspension", "GET /v1/admin/accounts/{id}/suspension",
            "DELETE /v1/admin/accounts/{id}/suspension", "GET /v1/admin/audit",
        ]
    ) { director in
        let cast = try await director.cast()
        let officer = director.recorded(try await director.visitor.signedIn(Stage.operatorPhone, name: "operator"))
        let customer = director.recorded(cast.customer)
        let path = "/v1/admin/accounts/\(customer.account)/suspension"
        _ = try await officer.put(path, #"{"reason":"Sells stamp codes"}"#, key: "suspend")
        director.say("Its sessions are over, and it cannot sign in")
        _ = try await customer.get("/v1/me")
        let code = try await director.visitor.post("/v1/verifications", #"{"phone":"+8613800138002"}"#).string("devCode")
        let visitor = director.recorded(director.visitor)
        _ = try await visitor.post("/v1/sessions", #"{"phone":"+8613800138002","code":"\#(code)"}"#)
        director.say("The reason can be read until it is reinstated")
        _ = try await officer.get(path)
        _ = try await officer.delete(path, key: "reinstate")
        director.say("What the auditor found")
        _ = try await officer.get("/v1/admin/audit")
    }
}
