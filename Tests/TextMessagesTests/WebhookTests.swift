import Foundation
import HTTPTypes
import Synchronization
import Testing
import TextMessages

/// Messages sent to a real server on this machine.
@Suite(.timeLimit(.minutes(15))) struct WebhookTests {
    private static let secret = Array("a secret that nobody guesses".utf8)
    private static let message = TextMessage(id: "msg_1", phone: "+8613800138000", text: "验证码 123456")
    private static let now: Int64 = 1_795_251_600

    /// Records the requested pauses without waiting.
    private final class Pauses: Sendable {
        private let kept = Mutex<[Duration]>([])
        var all: [Duration] { kept.withLock { $0 } }
        func add(_ pause: Duration) { kept.withLock { $0.append(pause) } }
    }

    private func sending(
        to address: String, _ pauses: Pauses = Pauses(), attemptSeconds: Int64 = 600, _ work: (WebhookSender) async throws -> Void
    ) async throws {
        let sender = try WebhookSender(
            url: address, secret: Self.secret, seconds: { Self.now }, attemptSeconds: attemptSeconds, pause: { pauses.add($0) })
        do { try await work(sender) } catch {
            try await sender.close()
            throw error
        }
        try await sender.close()
    }

    @Test("A message arrives once, as JSON that is signed with the secret")
    func signedMessage() async throws {
        let gateway = Gateway()
        try await gateway.whileListening { address in
            try await sending(to: address) { try await $0.send(Self.message) }
        }
        let post = try #require(gateway.posts.first)
        #expect(gateway.posts.count == 1)
        #expect(String(decoding: post.body, as: UTF8.self) == #"{"id":"msg_1","text":"验证码 123456","to":"+8613800138000"}"#)
        #expect(post.contentType == "application/json" && post.key == "msg_1")
        let signature = try WebhookSignature(secret: Self.secret)
        #expect(signature.isValid(post.signature, of: post.body, now: Self.now + 10))
    }

    @Test(
        "A message to a busy gateway is sent again with the same key, after growing pauses",
        arguments: [[HTTPResponse.Status.serviceUnavailable], [.tooManyRequests, .internalServerError]])
    func busyGateway(_ answers: [HTTPResponse.Status]) async throws {
        let (gateway, pauses) = (Gateway(answers: answers), Pauses())
        try await gateway.whileListening { address in
            try await sending(to: address, pauses) { try await $0.send(Self.message) }
        }
        #expect(gateway.posts.count == answers.count + 1)
        #expect(Set(gateway.posts.map(\.key)) == ["msg_1"], "all attempts have the key of one message")
        #expect(pauses.all == Array([Duration.milliseconds(500), .milliseconds(1_000)].prefix(answers.count)))
    }

    @Test("A gateway that stays busy is given up after three attempts, with an error without the phone number")
    func staysBusy() async throws {
        let gateway = Gateway(answers: [.badGateway, .badGateway, .badGateway])
        try await gateway.whileListening { address in
            let error = await #expect(throws: TextMessageError.self) {
                try await sending(to: address) { try await $0.send(Self.message) }
            }
            #expect(error == .unreachable(attempts: 3, reason: "status 502"))
            #expect(error?.description.contains("138") == false, "an error names neither phone nor code")
        }
        #expect(gateway.posts.count == 3)
    }

    @Test("A refusal or redirect by the gateway is final", arguments: [HTTPResponse.Status.badRequest, .unauthorized, .notFound, .found])
    func finalAnswers(_ status: HTTPResponse.Status) async throws {
        let gateway = Gateway(answers: [status])
        try await gateway.whileListening { address in
            await #expect(throws: TextMessageError.refused(status: status.code)) {
                try await sending(to: address) { try await $0.send(Self.message) }
            }
        }
        #expect(gateway.posts.count == 1)
    }

    @Test("A gateway that answers and never ends its answer does not hold a message for ever", .timeLimit(.minutes(10)))
    func anAnswerWithoutAnEnd() async throws {
        let gateway = Gateway(holdsBodies: true)
        try await gateway.whileListening { address in
            defer { gateway.endBodies() }
            try await sending(to: address, attemptSeconds: 10) { try await $0.send(Self.message) }
        }
        #expect(!gateway.posts.isEmpty)
    }

    @Test("An unreachable gateway is reported after three attempts")
    func noGateway() async throws {
        let pauses = Pauses()
        let error = await #expect(throws: TextMessageError.self) {
            try await sending(to: "http://127.0.0.1:1/sms", pauses, attemptSeconds: 1) { try await $0.send(Self.message) }
        }
        guard case .unreachable(3, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(pauses.all.count == 2)
    }

    @Test("An invalid address of a gateway is refused at once", arguments: ["", "gateway", "ftp://gateway/sms", "http://", "https:///sms"])
    func invalidAddress(_ address: String) {
        #expect(throws: TextMessageError.badAddress(address)) {
            try WebhookSender(url: address, secret: Self.secret, seconds: { 0 })
        }
    }

    @Test("A secret of 15 bytes is refused as too weak")
    func shortSecret() {
        #expect(throws: TextMessageError.weakSecret(bytes: 15)) {
            try WebhookSender(url: "http://gateway/sms", secret: Array(repeating: 7, count: 15), seconds: { 0 })
        }
    }
}
