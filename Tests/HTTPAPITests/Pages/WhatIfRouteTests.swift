import EventLog
import Foundation
import HTTPTypes
import Patience
import Testing

@testable import HTTPAPI

@Suite("The page of what-if questions", .timeLimit(.minutes(15)))
struct WhatIfRouteTests {
    private static func path(_ cast: Cast) -> String { "/shop/\(cast.shop)/numbers/what-if" }

    private static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

    private static func fields(_ cast: Cast, _ more: String = "goal=2") -> String { "campaign=\(cast.campaign)&\(more)" }

    /// Submits a question and waits for the page with the answer.
    private static func answer(_ cast: Cast, _ fields: String) async throws -> (String, Reply) {
        let asked = try await cast.owner.post(path(cast), fields, headers: form)
        #expect(asked.status == 303, "\(asked.text)")
        let job = try #require(asked.headers[.location])
        for _ in 0..<100_000 {
            let state = try await cast.owner.get(job + "/state")
            #expect(state.status == 200 && state.headers[.cacheControl] == "no-store")
            if try state.json["isOver"] == .bool(true) { break }
        }
        return (job, try await cast.owner.get(job, headers: [.acceptLanguage: "en"]))
    }

    @Test("In a cluster, any node shows, charts and stops a question that was begun at another one")
    func elsewhere() async throws {
        let names = try ["tea-1", "tea-2"].map { try #require(NodeName($0)) }
        try await TwoNodes.run(
            configure: { $0.peers?.name = names[0] },
            following: { configuration in
                configuration.peers?.name = names[1]
                guard case .other(let client) = configuration.peers?.writer() else { return }
                configuration.peers?.node = { $0 == names[0] ? client : nil }
            }, Self.elsewhere)
    }

    private static func elsewhere(_ nodes: TwoNodes) async throws {
        let cast = try await Cast(nodes.atWriter)
        for _ in 0..<4 { _ = try await cast.stamp(try await cast.issue().code) }
        let (job, reply) = try await answer(cast, fields(cast))
        #expect(job.hasSuffix("/1-tea-1") && reply.status == 200)
        var owner = nodes.atFollower
        owner.token = cast.owner.token
        let shown = try await owner.get(job, headers: [.acceptLanguage: "en"])
        #expect(shown.text.contains("Cards that would have been filled: 2 instead of 1"))
        #expect(try await owner.get(job + "/state").json["isOver"] == .bool(true))
        #expect(try await owner.get(job + "/chart").text.hasPrefix("<svg "))
        let stopped = try await owner.post(job + "/stop", "", headers: form)
        #expect(stopped.status == 303 && stopped.headers[.location] == job)
        for unknown in ["1-tea-2", "1-tea-3", "1", "1-", "x-tea-1"] {
            #expect(try await owner.get("\(path(cast))/\(unknown)/state").status == 404, "\(unknown)")
        }
        owner.token = cast.customer.token
        #expect(try await owner.get(job + "/state").status == 403)
    }

    @Test("The form begins with the campaign that has the most stamps, and the answer names the campaign of the question")
    func campaigns() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes").string("code")
            #expect(try await cast.customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "collect").status == 201)
            let newer = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody()).string("id")
            let form = try await cast.owner.get(Self.path(cast)).text
            #expect(form.contains("value=\"\(cast.campaign)\" selected") && form.contains("value=\"\(newer)\">"))
            let (_, answer) = try await Self.answer(cast, Self.fields(cast))
            #expect(answer.text.contains("<h2>Ten cups, the eleventh is free: "), "\(answer.text)")
        }
    }

    @Test("A lower goal is answered in words, tables and a chart; the recorded terms change nothing")
    func answered() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for _ in 0..<4 { _ = try await cast.stamp(try await cast.issue().code) }
            let (job, reply) = try await Self.answer(cast, Self.fields(cast))
            #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
            #expect(reply.text.contains("Cards that would have been filled: 2 instead of 1"), "\(reply.text)")
            #expect(reply.text.contains("A goal of 2, where it is 3 now") && reply.text.contains("<caption>In all</caption>"))
            #expect(!reply.text.contains("http-equiv"))
            let chart = try await cast.owner.get(job + "/chart")
            #expect(chart.headers[.contentType] == "image/svg+xml" && chart.text.hasPrefix("<svg "))
            let (_, same) = try await Self.answer(cast, Self.fields(cast, "goal=3"))
            #expect(same.text.contains("Nothing would have been other than it was."))
            #expect(same.text.contains("The present goal of 3") && same.text.contains("/campaign?id=\(cast.campaign)\""))
            let chinese = try await cast.owner.get(job, headers: [.acceptLanguage: "zh-CN"])
            #expect(chinese.text.contains("假如"))
        }
    }

    @Test("Caps, a welcome and bonus hours are asked about together")
    func terms() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for _ in 0..<3 { _ = try await cast.stamp(try await cast.issue().code) }
            let (_, capped) = try await Self.answer(cast, Self.fields(cast, "goal=3&cap=1"))
            #expect(capped.text.contains("Too many stamps too soon"), "\(capped.text)")
            let bonus = "goal=3&welcome=2&factor=2&days=all&from=00%3A00&to=24%3A00"
            let (_, more) = try await Self.answer(cast, Self.fields(cast, bonus))
            #expect(more.text.contains("a welcome of 2, 2 times as many from 00:00 to 24:00"), "\(more.text)")
            #expect(more.text.contains("welcomeStamps=2&amp;bonus=monday,tuesday,"), "\(more.text)")
        }
    }

    @Test("Values that our form never sends are refused, and no job begins")
    func invalid() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for fields in [
                "", "goal=0", "goal=51", "goal=x", "goal=+3", "goal=%D9%A3", "goal=3&cap=0", "goal=3&cap=51", "goal=3&welcome=11",
                "goal=3&factor=6&days=all&from=10%3A00&to=11%3A00", "goal=3&factor=2&days=never&from=10%3A00&to=11%3A00",
                "goal=3&factor=2&days=all&from=10%3A00&to=10%3A00", "goal=3&factor=2&days=all&from=&to=10%3A00",
            ] {
                let reply = try await cast.owner.post(Self.path(cast), Self.fields(cast, fields), headers: Self.form)
                try reply.expectProblem("invalidRequest", 400)
            }
            try await cast.owner.post(Self.path(cast), "campaign=x&goal=3", headers: Self.form).expectProblem("invalidRequest", 400)
            let foreign = "campaign=camp_00000000000000000000000000&goal=3"
            try await cast.owner.post(Self.path(cast), foreign, headers: Self.form).expectProblem("notFound", 404)
            try await cast.owner.get(Self.path(cast) + "/1").expectProblem("notFound", 404)
            try await cast.owner.get(Self.path(cast) + "/x/state").expectProblem("notFound", 404)
        }
    }

    @Test("Other accounts see neither an asker's answer nor its progress, and cannot stop the job")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            let (job, _) = try await Self.answer(cast, Self.fields(cast))
            let manager = try await visitor.signedIn("+8613800138003", name: "manager")
            try await cast.hire(manager, as: "manager")
            let counter = try await visitor.signedIn("+8613800138004", name: "counter")
            try await cast.hire(counter)
            #expect(try await manager.get(Self.path(cast)).status == 200)
            for place in [job, job + "/state", job + "/chart"] {
                try await manager.get(place).expectProblem("notFound", 404)
                try await counter.get(place).expectProblem("roleRequired", 403)
                try await cast.customer.get(place).expectProblem("forbidden", 403)
            }
            try await manager.post(job + "/stop").expectProblem("notFound", 404)
            try await counter.post(Self.path(cast), Self.fields(cast), headers: Self.form).expectProblem("roleRequired", 403)
            let signedOut = try await visitor.get(Self.path(cast), headers: [.acceptLanguage: "en"])
            #expect(signedOut.status == 303 && signedOut.headers[.location]?.hasPrefix("/sign-in?") == true && signedOut.body.isEmpty)
            try await visitor.get(job + "/state").expectProblem("unauthenticated", 401)
        }
    }

    @Test("The form of another site's page starts no job, and the form of our own page does")
    func forms() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let browser = try await Browser(visitor, signedInAs: "+8613800138001")
            let reply = try await browser.send(.post, Self.path(cast), Self.fields(cast), from: .foreignPage, headers: Self.form)
            try reply.expectProblem("forbidden", 403)
            let own = try await browser.send(.post, Self.path(cast), Self.fields(cast), headers: Self.form)
            #expect(own.status == 303 && own.headers[.location] == Self.path(cast) + "/1")
            let page = try await browser.send(.get, Self.path(cast) + "/1")
            #expect(page.status == 200)
        }
    }
}
