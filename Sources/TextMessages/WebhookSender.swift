internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Posts each message as signed JSON (`id`, `text`, `to`) to the operator's gateway, with retries under one `Idempotency-Key`. After 429,
/// 5xx or no answer it retries with doubling pauses; any status but 2xx is otherwise final. It follows no redirects, which would send the
/// code to another server.
public final class WebhookSender: TextMessageSender {
    /// Between attempts; replaced in tests.
    public typealias Pause = @Sendable (Duration) async throws -> Void

    private struct Body: Encodable {
        let id: String
        let text: String
        let to: String
    }

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

    /// - Parameters:
    ///   - seconds: since 1970, for signatures.
    ///   - attemptSeconds: until the gateway's status, and again for the rest of its answer.
    public init(
        url: String, secret: [UInt8], seconds: @escaping @Sendable () -> Int64, attemptSeconds: Int64 = Limits.attemptSeconds,
        pause: @escaping Pause = { try await Task.sleep(for: $0) }
    ) throws(TextMessageError) {
        guard let parsed = URL(string: url), ["http", "https"].contains(parsed.scheme), parsed.host?.isEmpty == false else {
            throw .badAddress(url)
        }
        self.url = url
        signature = try WebhookSignature(secret: secret)
        (self.seconds, self.attemptSeconds, self.pause) = (seconds, attemptSeconds, pause)
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(attemptSeconds)
        // One loop: AsyncHTTPClient 1.37.0 ends the process if a connection closes between two.
        client = HTTPClient(eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup.any()), configuration: configuration)
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

    public func close() async throws { try await client.shutdown() }

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

    /// Any error except a cancellation permits a retry.
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

    /// Reads the body so that the connection can be reused. The request's time limit ends with the head, so the body has its own.
    private func discard(_ body: HTTPClientResponse.Body) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await body.collect(upTo: Limits.answerBytesMax) }
            group.addTask { [attemptSeconds] in try? await Task.sleep(for: .seconds(attemptSeconds)) }
            _ = await group.next()
            group.cancelAll()
        }
    }
}

/// Signs messages, so that a gateway can check their origin, integrity and age: `GreenTea-Signature: t=SECONDS,v1=HEX`, the HMAC-SHA256 of
/// `SECONDS.BODY` under the shared secret.
public struct WebhookSignature: Sendable {
    public static let headerName = "GreenTea-Signature"

    private let key: SymmetricKey

    /// - Throws: `TextMessageError.weakSecret`.
    public init(secret: [UInt8]) throws(TextMessageError) {
        guard secret.count >= Limits.secretBytesMin else { throw .weakSecret(bytes: secret.count) }
        key = SymmetricKey(data: secret)
    }

    /// - Parameter seconds: since 1970.
    public func header(of body: [UInt8], at seconds: Int64) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Self.message(body, seconds), using: key)
        return "t=\(seconds),v1=" + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The gateway's check: the signature fits, and its time differs by at most ``Limits/signatureSecondsMax``, against replays.
    public func isValid(_ header: String, of body: [UInt8], now: Int64) -> Bool {
        guard header.hasPrefix("t="), let comma = header.firstIndex(of: ","),
            let seconds = Int64(header[header.index(header.startIndex, offsetBy: 2)..<comma]),
            // `abs` would trap for the smallest difference, which anybody can send.
            now.subtractingReportingOverflow(seconds).partialValue.magnitude <= Limits.signatureSecondsMax.magnitude
        else { return false }
        let expected = self.header(of: body, at: seconds)
        guard expected.utf8.count == header.utf8.count else { return false }
        return zip(expected.utf8, header.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func message(_ body: [UInt8], _ seconds: Int64) -> [UInt8] { Array("\(seconds).".utf8) + body }
}

/// The limits of this target.
public enum Limits {
    public static let attemptsMax = 3
    /// Until the status is known; the rest of the answer may take as long again.
    public static let attemptSeconds: Int64 = 5
    /// The pause doubles before each further attempt.
    public static let firstPauseMilliseconds = 500
    public static let underWayMax = 256
    /// Bytes of an answer that are read and discarded.
    public static let answerBytesMax = 16_384
    /// Seconds until the file of ``FileSender`` is renamed, and again until it is erased: codes are valid only for minutes.
    public static let fileSecondsMax: Int64 = 86_400
    /// Seconds between two checks of the file's age.
    static let fileLookSeconds: Int64 = 600
    /// Bytes read or overwritten at once: more than the longest line.
    static let fileLineBytesMax = 65_536
    /// Bytes, so that a secret cannot be guessed.
    public static let secretBytesMin = 16
    /// Seconds between a signature's time and the receiver's clock.
    public static let signatureSecondsMax: Int64 = 300
}
