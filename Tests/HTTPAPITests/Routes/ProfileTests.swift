import Foundation
import HTTPTypes
import Testing

@Suite("Profiles", .timeLimit(.minutes(15)))
struct ProfileTests {
    private static func everything(_ image: String) -> String {
        """
        {"nickname":"小茶 🍵","avatar":"\(image)","gender":"female","birthday":"1996-02-29","city":"上海"}
        """
    }

    @Test("An edit sets the given fields, clears null ones and keeps absent ones")
    func edits() async throws {
        try await onStage { _, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let image = try await me.picture()
            let first = try await me.patch("/v1/me", Self.everything(image))
            #expect(first.status == 200, "\(first.text)")
            #expect(try first.string("nickname") == "小茶 🍵")
            #expect(try first.string("avatar") == image)
            let second = try await me.patch("/v1/me", #"{"gender":null,"city":"Hangzhou"}"#)
            #expect(try second.json["gender"] == .null)
            let seen = try await me.get("/v1/me", headers: [.minPosition: "\(try #require(second.position))"])
            #expect(seen.body == second.body)
            #expect(try seen.string("nickname") == "小茶 🍵")
            #expect(try seen.string("birthday") == "1996-02-29")
            #expect(try seen.string("city") == "Hangzhou")
            #expect(try seen.string("phone") == "+8613800138009")
        }
    }

    @Test("A profile has an entity tag, and an edit with a stale If-Match is rejected")
    func versions() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let before = try #require(try await me.get("/v1/me").headers[.eTag])
            let edited = try await me.patch("/v1/me", #"{"city":"Hangzhou"}"#, headers: [.ifMatch: before])
            #expect(edited.status == 200)
            let after = try #require(edited.headers[.eTag])
            #expect(after != before)
            #expect(try await me.tag(of: "/v1/me") == after)
            let head = stage.head
            try await me.patch("/v1/me", #"{"city":"Suzhou"}"#, headers: [.ifMatch: before]).expectProblem("versionConflict", 412)
            #expect(stage.head == head)
            #expect(try await me.patch("/v1/me", #"{"city":"Suzhou"}"#, headers: [.ifMatch: "*"]).status == 200)
            #expect(try await me.patch("/v1/me", #"{"city":"Wuxi"}"#).status == 200)
        }
    }

    @Test("Edits of a profile are limited, and those that change nothing are not counted")
    func budget() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            for number in 0..<60 {
                let edit = #"{"city":"City \#(number)"}"#
                #expect(try await me.patch("/v1/me", edit, key: "\(number)").status == 200)
            }
            let head = stage.head
            try await me.patch("/v1/me", #"{"city":"Wuxi"}"#).expectProblem("rateLimited", 429)
            #expect(try await me.patch("/v1/me", #"{"city":"City 59"}"#, key: "59").status == 200, "a retry is answered")
            #expect(stage.head == head)
            stage.clock.advance(seconds: 600)
            for _ in 0..<70 { #expect(try await me.patch("/v1/me", #"{"gender":null}"#).status == 200) }
            #expect(try await me.patch("/v1/me", #"{"city":"Wuxi"}"#).status == 200 && stage.head == head + 1)
        }
    }

    @Test("A retried edit is made once, and an edit that changes nothing adds no event")
    func repeats() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let everything = Self.everything(try await me.picture())
            let first = try await me.patch("/v1/me", everything, key: "edit")
            let head = stage.head
            let again = try await me.patch("/v1/me", everything, key: "edit")
            #expect(again.body == first.body && again.position == first.position && stage.head == head)
            try await me.patch("/v1/me", #"{"nickname":null}"#, key: "edit").expectProblem("idempotencyKeyReused", 422)
            #expect(try await me.patch("/v1/me", "{}").status == 200)
            #expect(stage.head == head)
        }
    }

    @Test("A retried edit is replayed even after its picture is gone")
    func repeatsAfterThePicture() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let everything = Self.everything(try await me.picture())
            let first = try await me.patch("/v1/me", everything, key: "edit")
            #expect(first.status == 200)
            try FileManager.default.removeItem(atPath: stage.folder + "/blobs")
            let again = try await me.patch("/v1/me", everything, key: "edit")
            #expect(again.status == 200 && again.body == first.body)
            try await me.patch("/v1/me", everything, key: "another").expectInvalid("/avatar")
        }
    }

    @Test(
        "An invalid field is named",
        arguments: [
            (#"{"nickname":""}"#, "/nickname"), (#"{"nickname":7}"#, "/nickname"), (#"{"nickname":"a\nb"}"#, "/nickname"),
            (#"{"nickname":"\#(String(repeating: "茶", count: 51))"}"#, "/nickname"), (#"{"avatar":"shop_01hv"}"#, "/avatar"),
            (#"{"avatar":"acct_01hv3m5x7a8b9c0d1e2f3g4h5j"}"#, "/avatar"), (#"{"avatar":"img_01hv3m5x7a8b9c0d1e2f3g4h5j"}"#, "/avatar"),
            (#"{"gender":"x"}"#, "/gender"),
            (#"{"birthday":"1999-02-29"}"#, "/birthday"), (#"{"birthday":"1899-12-31"}"#, "/birthday"),
            (#"{"birthday":"2026-11-23"}"#, "/birthday"), (#"{"birthday":"1999-2-2"}"#, "/birthday"),
            (#"{"birthday":"1999-02-02T00:00:00Z"}"#, "/birthday"), (#"{"city":[]}"#, "/city"), (#"{"city":" "}"#, "/city"), ("[]", ""),
        ])
    func badFields(_ body: String, _ pointer: String) async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138009")
            let head = stage.head
            try await me.patch("/v1/me", body).expectInvalid(pointer)
            #expect(stage.head == head)
        }
    }

    @Test("A profile is visible to its own account only")
    func strangers() async throws {
        try await onStage { _, visitor in
            try await visitor.patch("/v1/me", "{}").expectProblem("unauthenticated", 401)
            let me = try await visitor.signedIn("+8613800138009")
            _ = try await me.patch("/v1/me", Self.everything(try await me.picture()))
            #expect(try await visitor.signedIn("+8613800138010").get("/v1/me").json["nickname"] == .null)
        }
    }
}
