import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite("A session in cookies", .timeLimit(.minutes(15)))
struct CookieTests {
    private let phone = "+8613800138021"
    private let renaming = #"{"nickname":"小绿"}"#

    @Test("A page of ours signs in without seeing a token, and its cookies are accepted wherever a token is")
    func signIn() async throws {
        try await onStage { _, visitor in
            let browser = Browser(visitor)
            let session = try await browser.signIn(phone)
            #expect(session.status == 201)
            #expect(try session.json.names == ["expiresIn", "account"])
            #expect(session.headers[.cacheControl] == "no-store")
            #expect(browser.jar.count == 2)
            for value in browser.jar.values { #expect(!session.text.contains(value)) }
            let me = try await browser.send(.get, "/v1/me")
            #expect(try me.string("phone") == phone)
            #expect(me.headers[.cacheControl] == "no-store")
            #expect(try await browser.send(.patch, "/v1/me", renaming).status == 200)
        }
    }

    @Test("A client that asks for no cookies gets none, even from a page of ours")
    func bearer() async throws {
        try await onStage { _, visitor in
            let code = try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
            let reply = try await Browser(visitor).send(.post, "/v1/sessions", #"{"phone":"\#(phone)","code":"\#(code)"}"#)
            #expect(reply.headers[values: .setCookie].isEmpty)
            #expect(try reply.json.names == ["accessToken", "refreshToken", "expiresIn", "account"])
        }
    }

    @Test("A foreign page, and a client that does not say whose page it is, are refused cookies")
    func foreignSignIn() async throws {
        try await onStage { stage, visitor in
            for sender in [Browser.Sender.foreignPage, .silent, .origin("https://evil.example"), .origin("null")] {
                let browser = Browser(visitor)
                try await browser.signIn(phone, from: sender).expectProblem("forbidden", 403)
                try await browser.refresh(from: sender).expectProblem("forbidden", 403)
                #expect(browser.jar.isEmpty)
            }
            #expect(stage.head == 0)
        }
    }

    @Test("A write by cookie must come from a page of ours, as fetch metadata or else the origin states")
    func crossSite() async throws {
        try await onStage { stage, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            let head = stage.head
            let foreign: [Browser.Sender] = [
                .foreignPage, .silent, .origin("https://evil.example"), .origin("null"), .origin("http://greentea.example"),
                .origin("https://greentea.example.evil.example"), .origin("https://greentea.example:8443"),
            ]
            for sender in foreign {
                try await browser.send(.patch, "/v1/me", renaming, from: sender).expectProblem("forbidden", 403)
                try await browser.send(.delete, "/v1/me", from: sender).expectProblem("forbidden", 403)
                try await browser.send(.post, "/v1/stamps", #"{"code":"AAAAAAAA"}"#, key: "k", from: sender)
                    .expectProblem("forbidden", 403)
            }
            #expect(stage.head == head)
            #expect(try await browser.send(.patch, "/v1/me", renaming, from: .origin("https://greentea.example")).status == 200)
        }
    }

    @Test("A page of another host of the same site, and metadata that contradicts the origin, are treated as foreign")
    func sameSite() async throws {
        try await onStage { _, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            for site in ["same-site", "cross-site", "none", "same-origin, cross-site", ""] {
                let headers: HTTPFields = [Browser.site: site]
                let reply = try await browser.send(
                    .patch, "/v1/me", renaming, from: .origin("https://greentea.example"), headers: headers)
                // An empty value makes the test visitor omit the header, which browsers without Fetch Metadata do as well.
                #expect(reply.status == (site.isEmpty ? 200 : 403), "\(site)")
            }
        }
    }

    @Test("A form that a foreign page posts changes nothing, whatever type it gives its body")
    func forms() async throws {
        try await onStage { stage, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            let head = stage.head
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
                let reply = try await browser.send(
                    .post, "/v1/feedback", #"{"text":"x","y":"="}"#, from: .foreignPage, headers: [.contentType: type])
                try reply.expectProblem("forbidden", 403)
            }
            #expect(stage.head == head)
        }
    }

    @Test("A cookie and a token in one request are refused, whoever each of them names")
    func both() async throws {
        try await onStage { _, visitor in
            let other = try await visitor.signedIn("+8613800138022")
            let browser = try await Browser(visitor, signedInAs: phone)
            let foreign: HTTPFields = [.authorization: "Bearer " + (other.token ?? "")]
            let own: HTTPFields = [.authorization: "Bearer " + (browser.jar[Browser.accessName] ?? "")]
            for headers in [foreign, own, [.authorization: "Basic QQ=="]] {
                try await browser.send(.get, "/v1/me", headers: headers).expectProblem("unauthenticated", 401)
                try await browser.send(.get, "/v1/campaigns", headers: headers).expectProblem("unauthenticated", 401)
            }
        }
    }

    @Test("A cookie that comes twice is refused, whichever of the two is good")
    func doubled() async throws {
        try await onStage { _, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            let good = try #require(browser.jar[Browser.accessName])
            browser.jar = [:]
            let name = Browser.accessName
            for cookies in ["\(name)=\(good); \(name)=\(good)", "\(name)=x; \(name)=\(good)", "\(name)=\(good); a=b;\(name)="] {
                try await browser.send(.get, "/v1/me", headers: [.cookie: cookies]).expectProblem("unauthenticated", 401)
            }
            for cookies in ["a=b; \(name)=\(good)", "\(name)=\(good);c", " \(name)=\(good) ; x\(name)=1"] {
                #expect(try await browser.send(.get, "/v1/me", headers: [.cookie: cookies]).status == 200, "\(cookies)")
            }
        }
    }

    @Test("Made-up, oversized and empty cookies sign nobody in")
    func malformed() async throws {
        try await onStage { _, visitor in
            let browser = Browser(visitor)
            for value in ["", "x", "a.b.c", String(repeating: "a", count: 6_000), "\"quoted\"", "é"] {
                browser.jar = [Browser.accessName: value, Browser.refreshName: value]
                try await browser.send(.get, "/v1/me").expectProblem("unauthenticated", 401)
                try await browser.refresh().expectProblem("unauthenticated", 401)
            }
        }
    }

    @Test("An expired access cookie gets a problem of its own, and a refresh replaces both cookies")
    func expiry() async throws {
        try await onStage { stage, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            let before = browser.jar
            stage.clock.advance(seconds: 900)
            try await browser.send(.get, "/v1/me").expectProblem("tokenExpired", 401)
            let reply = try await browser.refresh()
            #expect(reply.status == 201)
            #expect(try reply.json.names == ["expiresIn", "account"])
            #expect(browser.jar[Browser.accessName] != before[Browser.accessName])
            #expect(browser.jar[Browser.refreshName] != before[Browser.refreshName])
            #expect(try await browser.send(.get, "/v1/me").status == 200)
        }
    }

    @Test("A refresh whose answer was lost gets the same answer for minutes, so two tabs that refresh at once stay signed in")
    func lostRefresh() async throws {
        try await onStage { stage, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            let spent = browser.jar
            #expect(try await browser.refresh().status == 201)
            let first = browser.jar
            for seconds: Int64 in [0, 9, 200] {
                stage.clock.advance(seconds: seconds)
                browser.jar = spent
                #expect(try await browser.refresh().status == 201)
                #expect(browser.jar[Browser.refreshName] == first[Browser.refreshName])
            }
            #expect(try await browser.send(.get, "/v1/me").status == 200)
        }
    }

    @Test("A stolen refresh cookie that is used later ends the session, and takes the cookies out of the browser")
    func stolen() async throws {
        try await onStage { stage, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            let stolen = browser.jar
            #expect(try await browser.refresh().status == 201)
            stage.clock.advance(seconds: 301)
            let thief = Browser(visitor)
            thief.jar = stolen
            try await thief.refresh().expectProblem("unauthenticated", 401)
            try await browser.send(.get, "/v1/me").expectProblem("unauthenticated", 401)
            try await browser.refresh().expectProblem("unauthenticated", 401)
            #expect(thief.jar.isEmpty && browser.jar.isEmpty)
        }
    }

    @Test("Every way to sign out here takes the cookies out of the browser, and copies of them no longer work")
    func signOut() async throws {
        try await onStage { _, visitor in
            for path in ["/v1/sessions/current", "/v1/sessions", "/v1/me"] {
                let browser = try await Browser(visitor, signedInAs: phone)
                let copy = browser.jar
                #expect(try await browser.send(.delete, path).status == 204)
                #expect(browser.jar.isEmpty, "\(path)")
                browser.jar = copy
                try await browser.send(.get, "/v1/me").expectProblem("unauthenticated", 401)
                try await browser.refresh().expectProblem("unauthenticated", 401)
            }
        }
    }

    @Test("Ending another session in the list leaves this browser signed in; ending its own does not")
    func endOne() async throws {
        try await onStage { _, visitor in
            let other = try await Browser(visitor, signedInAs: phone)
            let browser = try await Browser(visitor, signedInAs: phone)
            let sessions = try #require(try await browser.send(.get, "/v1/me/sessions").json["items"]?.items)
            let own = try #require(sessions.first { $0["isCurrent"] == .bool(true) }?["id"]?.string)
            let foreign = try #require(sessions.first { $0["isCurrent"] == .bool(false) }?["id"]?.string)
            #expect(try await browser.send(.delete, "/v1/me/sessions/\(foreign)").status == 204)
            #expect(browser.jar.count == 2)
            try await other.send(.get, "/v1/me").expectProblem("unauthenticated", 401)
            #expect(try await browser.send(.delete, "/v1/me/sessions/\(own)").status == 204)
            #expect(browser.jar.isEmpty)
        }
    }

    @Test("A foreign page cannot begin an export with its visitor's cookie")
    func foreignExport() async throws {
        try await onStage { _, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            try await browser.send(.get, "/v1/me/export", from: .foreignPage).expectProblem("forbidden", 403)
            #expect(try await browser.send(.get, "/v1/me/export").status == 200)
        }
    }

    @Test("A refresh that is refused as too frequent does not remove the cookies")
    func limited() async throws {
        try await onStage { _, visitor in
            let browser = try await Browser(visitor, signedInAs: phone)
            var last = 201
            for _ in 0..<100 where last == 201 { last = try await browser.refresh().status }
            #expect(last == 429)
            #expect(browser.jar.count == 2)
            #expect(try await browser.send(.get, "/v1/me").status == 200)
        }
    }
}

@Suite("The service's own origin", .timeLimit(.minutes(15)))
struct OwnOriginTests {
    @Test(
        "A path, capital letters and the scheme's own port are no part of an origin",
        arguments: [
            ("https://Greentea.example/", "https://greentea.example"), ("https://greentea.example:443", "https://greentea.example"),
            ("http://localhost:80/x/y", "http://localhost"), ("http://localhost:8080", "http://localhost:8080"),
            ("https://greentea.example:80", "https://greentea.example:80"), ("http://[::1]:8080", "http://[::1]:8080"),
        ])
    func origin(_ url: String, _ origin: String) {
        #expect(PublicAddress(url).origin == origin)
    }
}
