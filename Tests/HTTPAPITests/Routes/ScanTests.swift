import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Photos of codes", .timeLimit(.minutes(15)))
struct ScanTests {
    /// A PNG of the code `https://greentea.example/s/K7QF2M9X`.
    private static let photo = [
        "iVBORw0KGgoAAAANSUhEUgAAAJQAAACUAQAAAABdRz15AAABAklEQVR42u2WUQ6DMAxDfQPf/5a5QWangJj2NdxPqqhkb9Ia4tQa+mcVXvYPA8",
        "CupvKVhowKAs6d5gxUQp3Cle5gKrqxj+nl9ew9zAGi5qycWZhjfen2lM3clEKf73P1lPnHtQ+TUjFDqQVV3i18zKjptkQum9jAqqbi8mHneyRM",
        "+YRrLuasZ2Opt1cPAmZ38BUsj1DtYL6Cbqy72jE7yja7epAwP0msGWLOxsBoi/ABOZvxoZugko8eJMwVl4ttzK1OmReWbzdvnvOU2bgk0PBzhh",
        "K2jNUKWfoNDMvFZNt2sS3MJjYEe5iQrafuNT9mEzplGWPMrNH6ymIxZu9/woB9ABloGJYLE/N9AAAAAElFTkSuQmCC",
    ].joined()

    private static func send(_ base64: String, as visitor: Visitor, headers: HTTPFields = [:]) async throws -> Reply {
        let bytes = try #require(Data(base64Encoded: base64))
        var fields = headers
        fields[.contentType] = "image/png"
        if let token = visitor.token { fields[.authorization] = "Bearer " + token }
        return try await visitor.client.execute(uri: "/scan", method: .post, headers: fields, body: ByteBuffer(bytes: bytes)) { Reply($0) }
    }

    @Test("A code in a photo is read for those who are signed in, and nothing is stored")
    func read() async throws {
        try await onStage { stage, visitor in
            let customer = try await visitor.signedIn("+8613800138002")
            let head = stage.head
            let found = try await Self.send(Self.photo, as: customer)
            #expect(found.status == 200, "\(found.text)")
            #expect(try found.string("text") == "https://greentea.example/s/K7QF2M9X")
            #expect(found.headers[.cacheControl]?.contains("no-store") == true)
            let nothing = try await Self.send(Visitor.pixels[0], as: customer)
            #expect(nothing.status == 200 && nothing.text == #"{"text":null}"#)
            #expect(stage.head == head)
            try await Self.send(Self.photo, as: visitor).expectProblem("unauthenticated", 401)
            try await Self.send("bm8gcGljdHVyZQ==", as: customer).expectProblem("unsupportedMediaType", 415)
        }
    }

    @Test("A page of another origin cannot have a photo read by cookie")
    func foreign() async throws {
        try await onStage { _, visitor in
            let browser = try await Browser(visitor, signedInAs: "+8613800138002")
            let foreign = try await browser.send(.post, "/scan", "x", from: .foreignPage)
            #expect(foreign.status == 403 || foreign.status == 401, "\(foreign.text)")
            #expect(try await browser.send(.post, "/scan", "x").status == 415)
        }
    }

    @Test("An account may have only a limited number of photos read")
    func budget() async throws {
        try await onStage { _, visitor in
            let (one, other) = (try await visitor.signedIn("+8613800138002"), try await visitor.signedIn("+8613800138003"))
            for _ in 0..<120 { #expect(try await Self.send("eA==", as: one).status == 415) }
            let refused = try await Self.send("eA==", as: one)
            try refused.expectProblem("rateLimited", 429)
            #expect(refused.headers[.retryAfter] != nil)
            #expect(try await Self.send("eA==", as: other).status == 415)
        }
    }
}
