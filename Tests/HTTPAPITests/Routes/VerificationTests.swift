import CommandService
import Composition
import HTTPTypes
import Patience
import Synchronization
import Testing
import TextMessages

@testable import HTTPAPI

@Suite("Text messages with codes", .timeLimit(.minutes(15)))
struct VerificationTests {
    /// A sender of text messages that stores them, or fails while `isBroken` is set.
    private final class Outbox: TextMessageSender {
        private let state = Mutex<(sent: [TextMessage], isBroken: Bool)>(([], false))

        var sent: [TextMessage] { state.withLock { $0.sent } }
        func breakDown(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

        func send(_ message: TextMessage) async throws {
            try state.withLock { state in
                if state.isBroken { throw TextMessageError.unreachable(attempts: 3, reason: "status 502") }
                state.sent.append(message)
            }
        }

        func close() async throws {}
    }

    private func ask(_ visitor: Visitor, _ phone: String, from address: String = "127.0.0.1") async throws -> Reply {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#, headers: [.forwardedFor: address])
    }

    @Test("Text messages are counted by result")
    func counted() async throws {
        let outbox = Outbox()
        try await onStage(try Stage(isDevelopment: false, messages: outbox)) { stage, visitor in
            let before = try await visitor.get("/metrics").text.split(separator: "\n")
            for result in ["sent", "refused", "unreachable", "tooMany", "failed"] {
                // Each series must begin at 0. If it began at 1, with the first failure, Prometheus would see no increase, and no alert
                // would fire.
                #expect(before.contains(#"greentea_text_messages_total{result="\#(result)"} 0"#), "\(result)")
            }
            #expect(try await ask(visitor, "+8613800138009").status == 202)
            outbox.breakDown(true)
            stage.clock.advance(seconds: 60)
            try await ask(visitor, "+8613800138009").expectProblem("overloaded", 503)
            let lines = try await visitor.get("/metrics").text.split(separator: "\n")
            #expect(lines.contains(#"greentea_text_messages_total{result="sent"} 1"#))
            #expect(lines.contains(#"greentea_text_messages_total{result="unreachable"} 1"#))
        }
    }

    @Test("The message carries the valid code in the requested language, and the answer does not contain it")
    func sends() async throws {
        let outbox = Outbox()
        try await onStage(try Stage(isDevelopment: false, messages: outbox)) { _, visitor in
            let reply = try await ask(visitor, "+8613800138009")
            #expect(reply.status == 202)
            #expect(try reply.json.names == ["phone", "isPossible", "expiresAt"])
            let message = try #require(outbox.sent.first)
            #expect(message.phone == "+8613800138009" && message.id.hasPrefix("msg_"))
            let words = message.text.split(separator: " ").map(String.init)
            let code = try #require(words.first(where: { $0.count == 6 && $0.allSatisfy(\.isNumber) }))
            let session = try await visitor.post("/v1/sessions", #"{"phone":"+8613800138009","code":"\#(code)"}"#)
            #expect(session.status == 201, "\(session.text) \(message.text)")
            _ = try await visitor.post(
                "/v1/verifications", #"{"phone":"+8613800138009"}"#, headers: [.acceptLanguage: "zh-CN"])
            #expect(outbox.sent.last?.text.contains("验证码") == true)
            #expect(Set(outbox.sent.map(\.id)).count == 2)
        }
    }

    @Test("A message that cannot be sent is reported and does not count towards the limit")
    func fails() async throws {
        let outbox = Outbox()
        try await onStage(try Stage(isDevelopment: false, messages: outbox)) { _, visitor in
            outbox.breakDown(true)
            for _ in 0..<12 {
                let reply = try await ask(visitor, "+8613800138009")
                try reply.expectProblem("overloaded", 503)
                #expect(reply.headers[.retryAfter] == "10" && !reply.text.contains("502"))
            }
            outbox.breakDown(false)
            #expect(try await ask(visitor, "+8613800138009").status == 202)
        }
    }

    @Test("A request made while a message is being sent gets that message's outcome, and after a failure the next request sends again")
    func underWay() async throws {
        let messages = CodeMessages(of: Verifications(randomness: SystemRandomness(), clock: TestClock()), caps: nil)
        let phone = try #require(E164Number("+8613800138009"))
        let (gateway, answer) = AsyncStream<Void>.makeStream()
        let first = try messages.begin(for: phone, from: .unknown) { _ in
            for await _ in gateway {}
            throw TextMessageError.unreachable(attempts: 3, reason: "status 502")
        }
        let second = try messages.begin(for: phone, from: .unknown) { _ in Issue.record("the code is sent twice") }
        answer.finish()
        for request in [first, second] {
            let task = try #require(request.task)
            await #expect(throws: TextMessageError.self) { try await task.valueInTime() }
        }
        let third = try messages.begin(for: phone, from: .unknown) { _ in }
        #expect(third.begun.isToBeSent)
        let last = try #require(third.task)
        try await last.valueInTime()
        #expect(try messages.begin(for: phone, from: .unknown, send: { _ in }).task == nil)
    }

    @Test("The same code is sent at most once a minute, and every request gets the same answer")
    func onceAMinute() async throws {
        let outbox = Outbox()
        try await onStage(try Stage(isDevelopment: false, messages: outbox)) { stage, visitor in
            let first = try await ask(visitor, "+8613800138009")
            for second in 0..<100 {
                let again = try await ask(visitor, "+8613800138009", from: "203.0.113.\(second)")
                #expect(again.status == 202 && again.body == first.body)
                if second == 59 { stage.clock.advance(seconds: 60) }
            }
            #expect(outbox.sent.count == 2 && outbox.sent[0].text == outbox.sent[1].text)
        }
    }

    @Test("Messages to one number are limited, and requests by strangers do not lock out its holder")
    func numbers() async throws {
        let outbox = Outbox()
        try await onStage(try Stage(isDevelopment: false, messages: outbox, trustedProxies: 1)) { stage, visitor in
            func code() throws -> String {
                try #require(outbox.sent.last?.text.split(separator: " ").map(String.init).first { $0.count == 6 && Int($0) != nil })
            }
            func signIn(_ code: String) async throws -> Reply {
                try await visitor.post(
                    "/v1/sessions", #"{"phone":"+8613800138009","code":"\#(code)"}"#, headers: [.forwardedFor: "198.51.100.7"])
            }
            #expect(try await ask(visitor, "+8613800138009", from: "198.51.100.7").status == 202)
            #expect(try await signIn(try code()).status == 201)
            var refused: Reply?
            for stranger in 0..<300 where refused == nil {
                let reply = try await ask(visitor, "+8613800138009", from: "203.0.\(stranger % 250).5")
                if reply.status == 429 { refused = reply }
                stage.clock.advance(seconds: 60)
            }
            #expect(refused?.headers[.retryAfter] != nil)
            #expect(outbox.sent.count < 20)
            stage.clock.advance(seconds: 300)
            #expect(try await ask(visitor, "+8613800138009", from: "198.51.100.7").status == 202)
            #expect(try await signIn(try code()).status == 201)
        }
    }

    @Test("Messages go only to listed countries")
    func countries() async throws {
        let limits = MessageLimits(countries: ["+86"])
        try await onStage(try Stage(isDevelopment: false, messages: Outbox(), messageLimits: limits)) { _, visitor in
            #expect(try await ask(visitor, "+8613800138009").status == 202)
            try await ask(visitor, "+12025550100").expectInvalid("/phone")
        }
    }

    @Test("One network may request codes for two hundred numbers, whichever of its addresses asks")
    func networks() async throws {
        try await onStage(try Stage(messages: Outbox(), trustedProxies: 1)) { _, visitor in
            for number in 0..<200 {
                let reply = try await ask(visitor, "+86138001\(38_100 + number)", from: "2001:db8:7:\(number)::1")
                #expect(reply.status == 202)
            }
            try await ask(visitor, "+8613800138400", from: "2001:db8:7:ffff::1").expectProblem("rateLimited", 429)
            #expect(try await ask(visitor, "+8613800138400", from: "2001:db8:8::1").status == 202)
        }
    }
}
