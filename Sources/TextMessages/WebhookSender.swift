internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Posts each message as signed JSON to a gateway of the operator's choice, with retries.
///
/// The body is a JSON object with `id`, `text` and `to`. The header `Idempotency-Key` is the id, the same at every attempt. A status 2xx
/// means success. After 429, 5xx or no answer, the sender tries again after a pause, which doubles each time. Any other status is final.
/// Redirects are not followed, because they would send the verification code to another server.
public final class WebhookSender: TextMessageSender {
    /// Waits between attempts; tests replace it so that they need not wait.
    public typealias Pause = @Sendable (Duration) async throws -> Void

    private struct Body: Encodable {
        let id: String
        let text: String
        let to: String
    }

    /// The result of one attempt.
    private enum Answer {
        case taken
        case refused(Int)
        case again(String)
    }

    private let url: String
    private let signature: WebhookSignature
    private let client: HTTPClient
    private let seconds: @Sendable () -> Int64
    private let attemptSeconds: Int64
    private let pause: Pause
    private let underWay = Atomic(0)

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - seconds: the current time in seconds since 1970, which signatures contain.
    ///   - attemptSeconds: the time limit of one attempt until the gateway's status, and of the rest of the gateway's answer.
    ///   - pause: waits between attempts.
    /// - Throws: `TextMessageError.badAddress`, `.weakSecret`.
    public init(
        url: String, secret: [UInt8], seconds: @escaping @Sendable () -> Int64, attemptSeconds: Int64 = Limits.attemptSeconds,
        pause: @escaping Pause = { try await Task.sleep(for: $0) }
    ) throws(TextMessageError) {
        guard let parsed = URL(string: url), ["http", "https"].contains(parsed.scheme), parsed.host?.isEmpty == false else {
            throw .badAddress(url)
        }
        self.url = url
        signature = try WebhookSignature(secret: secret)
        self.seconds = seconds
        self.attemptSeconds = attemptSeconds
        self.pause = pause
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(attemptSeconds)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    public func send(_ message: TextMessage) async throws {
        guard underWay.add(1, ordering: .relaxed).newValue <= Limits.underWayMax else {
            underWay.subtract(1, ordering: .relaxed)
            throw TextMessageError.tooMany
        }
        defer { underWay.subtract(1, ordering: .relaxed) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = Array(try encoder.encode(Body(id: message.id, text: message.text, to: message.phone)))
        try await deliver(body, id: message.id)
    }

    public func close() async throws {
        try await client.shutdown()
    }

    private func deliver(_ body: [UInt8], id: String) async throws {
        var reason = ""
        for attempt in 1...Limits.attemptsMax {
            if attempt > 1 { try await pause(.milliseconds(Limits.firstPauseMilliseconds << (attempt - 2))) }
            switch try await answer(to: body, id: id) {
            case .taken: return
            case .refused(let status): throw TextMessageError.refused(status: status)
            case .again(let why): reason = why
            }
        }
        throw TextMessageError.unreachable(attempts: Limits.attemptsMax, reason: reason)
    }

    /// Makes one attempt. Any error except a cancellation permits a retry.
    private func answer(to body: [UInt8], id: String) async throws -> Answer {
        do {
            let status = try await post(body, id: id)
            if (200..<300).contains(status) { return .taken }
            return status == 429 || status >= 500 ? .again("status \(status)") : .refused(status)
        } catch let error as HTTPClientError {
            return .again(error.shortDescription)
        } catch {
            if error is CancellationError { throw error }
            return .again("\(type(of: error))")
        }
    }

    private func post(_ body: [UInt8], id: String) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "Idempotency-Key", value: id)
        request.headers.add(name: WebhookSignature.headerName, value: signature.header(of: body, at: seconds()))
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await client.execute(request, timeout: .seconds(attemptSeconds))
        await discard(response.body)
        return Int(response.status.code)
    }

    /// Reads the body of an answer, only so that the connection can be reused. The request's own time limit ends with the answer's head, so
    /// the body has one of its own. After it, the connection is closed; the answer's status is known already.
    private func discard(_ body: HTTPClientResponse.Body) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await body.collect(upTo: Limits.answerBytesMax) }
            group.addTask { [attemptSeconds] in try? await Task.sleep(for: .seconds(attemptSeconds)) }
            _ = await group.next()
            group.cancelAll()
        }
    }
}

/// Signs messages, so that a gateway can check that a message comes from this service, is unchanged and is recent.
///
/// The signature is the header `GreenTea-Signature: t=SECONDS,v1=HEX`. HEX is the HMAC-SHA256 of `SECONDS.BODY` under the shared secret.
public struct WebhookSignature: Sendable {
    /// The header's name.
    public static let headerName = "GreenTea-Signature"

    private let key: SymmetricKey

    /// Creates signatures with a shared secret.
    ///
    /// - Throws: `TextMessageError.weakSecret`.
    public init(secret: [UInt8]) throws(TextMessageError) {
        guard secret.count >= Limits.secretBytesMin else { throw .weakSecret(bytes: secret.count) }
        key = SymmetricKey(data: secret)
    }

    /// The header for a body.
    ///
    /// - Parameter seconds: the current time in seconds since 1970.
    public func header(of body: [UInt8], at seconds: Int64) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Self.message(body, seconds), using: key)
        return "t=\(seconds),v1=" + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Whether the signature header belongs to the body, and its time differs from `now` by at most ``Limits/signatureSecondsMax``.
    ///
    /// A gateway makes this check. The limit of time prevents that somebody sends a recorded message again later.
    public func isValid(_ header: String, of body: [UInt8], now: Int64) -> Bool {
        guard header.hasPrefix("t="), let comma = header.firstIndex(of: ","),
            let seconds = Int64(header[header.index(header.startIndex, offsetBy: 2)..<comma]),
            // The magnitude exists for every difference; `abs` would trap for the smallest one, and anybody can send such a header.
            now.subtractingReportingOverflow(seconds).partialValue.magnitude <= Limits.signatureSecondsMax.magnitude
        else { return false }
        let expected = self.header(of: body, at: seconds)
        guard expected.utf8.count == header.utf8.count else { return false }
        return zip(expected.utf8, header.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func message(_ body: [UInt8], _ seconds: Int64) -> [UInt8] {
        Array("\(seconds).".utf8) + body
    }
}

/// The limits of this target, with their units and most of their reasons.
public enum Limits {
    /// The maximum number of attempts to send one message. If the gateway was restarting, it is often available again at the third attempt.
    public static let attemptsMax = 3
    /// Seconds that one attempt may take until the gateway's status is known. The rest of the answer may take as long again.
    public static let attemptSeconds: Int64 = 5
    /// Milliseconds before the second attempt. The pause doubles before each further one.
    public static let firstPauseMilliseconds = 500
    /// The maximum number of messages that are being sent at once.
    public static let underWayMax = 256
    /// The maximum number of bytes of a gateway's answer that are read and discarded.
    public static let answerBytesMax = 16_384
    /// Seconds after which the file of ``FileSender`` is renamed. After twice this time, the renamed file is erased. So short a time
    /// suffices, because the codes in the messages are valid only for minutes.
    public static let fileSecondsMax: Int64 = 86_400
    /// Seconds between two checks of the age of a file of messages.
    static let fileLookSeconds: Int64 = 600
    /// Bytes of a file of messages that are read or overwritten at once: more than the longest line.
    static let fileLineBytesMax = 65_536
    /// The minimum length of a secret in bytes, so that it cannot be guessed.
    public static let secretBytesMin = 16
    /// The maximum difference in seconds between a signature's time and the receiver's clock.
    public static let signatureSecondsMax: Int64 = 300
}
