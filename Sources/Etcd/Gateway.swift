internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// Requests to the JSON gateway of an etcd cluster.
///
/// Every call blocks its thread; any thread may call. A call has a time limit, each of its requests a shorter one, and an answer one in
/// bytes.
final class Gateway: Sendable {
    enum Kind {
        /// Twice has the effect of once, so another endpoint is asked if one gives no answer.
        case repeatable
        /// Never sent again unless it was certainly not carried out.
        case once
    }

    private enum AnswerBytes {
        /// More than eight of the largest entries in base64.
        static let max = 16 << 20
        static let smallMax = 64 << 10
        static let textMax = 1_000
    }

    let settings: EtcdSettings
    private let client: HTTPClient
    /// The index of the endpoint that is asked first: the one that answered last, unless it was slow.
    private let preferred = Atomic(0)
    private let token = Mutex<String?>(nil)

    init(_ settings: EtcdSettings) { (self.settings, client) = (settings, settings.client()) }

    deinit { client.shutdown { _ in } }

    /// The end of a call that begins now.
    func callEnd() -> NIODeadline { deadline(settings.callSeconds) }

    /// Sends a request until an endpoint answers.
    ///
    /// - Parameter end: of the call that this request is a part of; nil if it is the only one.
    /// - Throws: ``EtcdFault``; `.notSent` if no endpoint can be reached.
    func ask(_ path: String, _ body: some Encodable, _ kind: Kind, until end: NIODeadline? = nil) throws(EtcdFault) -> Answer {
        let (bytes, end) = (try Self.encoded(body), end ?? callEnd())
        do throws(EtcdFault) { return try askEach(path, bytes, kind, until: end) } catch {
            guard error == .badToken, settings.credentials != nil else { throw error }
            // A bad token is refused before anything is done, so even a write can be sent again.
            token.withLock { $0 = nil }
            return try askEach(path, bytes, kind, until: end)
        }
    }

    /// Asks one endpoint, once.
    func ask(_ path: String, _ body: some Encodable, of endpoint: String) throws(EtcdFault) -> Answer {
        let (bytes, end) = (try Self.encoded(body), callEnd())
        let token = try validToken(from: endpoint, until: end)
        return try send(.POST, path, to: endpoint, bytes, token: token, bytesMax: AnswerBytes.smallMax, until: end)
    }

    /// The version that an endpoint says to have.
    func version(of endpoint: String) throws(EtcdFault) -> String {
        let answer = try send(.GET, "/version", to: endpoint, nil, token: nil, bytesMax: AnswerBytes.smallMax, until: callEnd())
        guard let version = answer.etcdserver else { throw .unknown("\(endpoint) is not etcd's") }
        return version
    }

    private func askEach(_ path: String, _ body: Data, _ kind: Kind, until end: NIODeadline) throws(EtcdFault) -> Answer {
        let (endpoints, start) = (settings.endpoints, preferred.load(ordering: .relaxed))
        var faults: [EtcdFault] = []
        for index in (0..<endpoints.count).map({ (start + $0) % endpoints.count }) {
            let (began, next) = (NIODeadline.now(), (index + 1) % endpoints.count)
            do throws(EtcdFault) {
                let token = try validToken(from: endpoints[index], until: end)
                let answer = try send(.POST, path, to: endpoints[index], body, token: token, bytesMax: AnswerBytes.max, until: end)
                preferred.store(.now() < began + settings.slow ? index : next, ordering: .relaxed)
                return answer
            } catch {
                switch error {
                case .notSent, .certificate: break
                case .unknown:
                    preferred.store(next, ordering: .relaxed)
                    if kind == .once { throw error }
                default: throw error
                }
                faults.append(error)
            }
        }
        throw Self.merged(faults)
    }

    /// One fault for all endpoints: a certificate's, or the reasons of all.
    static func merged(_ faults: [EtcdFault]) -> EtcdFault {
        var reasons: [String] = []
        for fault in faults {
            switch fault {
            case .notSent(let reason), .unknown(let reason): reasons.append(reason)
            default: return fault
            }
        }
        return .notSent(reasons.joined(separator: "; "))
    }

    /// For tests: a token that etcd does not know.
    func replaceToken(_ text: String) { token.withLock { $0 = text } }

    /// A token for the user that the settings name; nil without one.
    private func validToken(from endpoint: String, until end: NIODeadline) throws(EtcdFault) -> String? {
        guard let user = settings.credentials else { return nil }
        if let token = token.withLock({ $0 }) { return token }
        let answer: Answer
        do throws(EtcdFault) {
            let (path, body) = ("/v3/auth/authenticate", try Self.encoded(user))
            answer = try send(.POST, path, to: endpoint, body, token: nil, bytesMax: AnswerBytes.smallMax, until: end)
        } catch {
            // The caller's own request was not sent.
            if case .unknown(let reason) = error { throw .notSent(reason) }
            throw error
        }
        guard let made = answer.token else { throw .notSent("\(endpoint) makes no token") }
        token.withLock { $0 = made }
        return made
    }
}

extension Gateway {
    private func send(
        _ method: HTTPMethod, _ path: String, to endpoint: String, _ body: Data?, token: String?, bytesMax: Int, until end: NIODeadline
    ) throws(EtcdFault) -> Answer {
        if end <= .now() { throw .notSent("\(endpoint): no time is left") }
        let request = try request(method, path, to: endpoint, body, token: token)
        let accumulator = ResponseAccumulator(request: request, maxBodySize: bytesMax)
        let response: HTTPClient.Response
        do {
            let deadline = min(deadline(settings.requestSeconds), end)
            response = try client.execute(request: request, delegate: accumulator, deadline: deadline).wait()
        } catch { throw EtcdFault(error, at: endpoint) }
        let answer = try decoded(response, from: endpoint)
        // An empty object from elsewhere would mean that nothing was found. etcd itself answers so if there are no alarms.
        if path.hasPrefix("/v3/kv/"), answer.header == nil { throw .unknown("\(endpoint): the answer is not etcd's") }
        return answer
    }

    private func request(
        _ method: HTTPMethod, _ path: String, to endpoint: String, _ body: Data?, token: String?
    ) throws(EtcdFault) -> HTTPClient.Request {
        var headers = HTTPHeaders([("Content-Type", "application/json")])
        if let token { headers.add(name: "Authorization", value: token) }
        do { return try HTTPClient.Request(url: endpoint + path, method: method, headers: headers, body: body.map { .bytes($0) }) } catch {
            throw .badAddress(endpoint)
        }
    }

    private func deadline(_ seconds: Double) -> NIODeadline {
        .now() + .nanoseconds(Int64(seconds * EtcdSettings.nanosecondsPerSecond))
    }

    /// Reads any answer, which may come from anywhere.
    private func decoded(_ response: HTTPClient.Response, from endpoint: String) throws(EtcdFault) -> Answer {
        let body = response.body.map { Data($0.readableBytesView) } ?? Data()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard response.status == .ok else {
            let refusal = try? decoder.decode(Refusal.self, from: body)
            throw EtcdFault(
                status: Int(response.status.code), code: refusal?.code,
                message: refusal?.message ?? String(decoding: body.prefix(AnswerBytes.textMax), as: UTF8.self),
                user: settings.credentials?.name, at: endpoint)
        }
        do { return try decoder.decode(Answer.self, from: body) } catch { throw .unknown("\(endpoint): the answer is not etcd's") }
    }

    static func encoded(_ body: some Encodable) throws(EtcdFault) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do { return try encoder.encode(body) } catch { throw .refused("\(error)") }
    }
}

extension Gateway {
    /// Waits until a key changes after a revision.
    ///
    /// - Returns: whether it has changed; false after `EtcdSettings.waitSeconds`.
    /// - Throws: ``EtcdFault`` if the wait ended early without a change.
    func awaitChange(of key: Data, after revision: Int64, until end: NIODeadline) throws(EtcdFault) -> Bool {
        let endpoint = settings.endpoints[preferred.load(ordering: .relaxed)]
        let body = try Self.encoded(WatchRequest(createRequest: .init(key: key, startRevision: revision &+ 1)))
        let request = try request(.POST, "/v3/watch", to: endpoint, body, token: validToken(from: endpoint, until: end))
        do {
            let deadline = min(deadline(settings.waitSeconds), end)
            try client.execute(request: request, delegate: FirstChange(), deadline: deadline).wait()
        } catch is FirstChange.Seen { return true } catch let error as HTTPClientError where error == .deadlineExceeded {
            return false
        } catch { throw EtcdFault(error, at: endpoint) }
        throw .unknown("\(endpoint) ended a watch")
    }
}

/// Ends a watch with its second line. The first says that the watch has begun; the others are changes, or its end.
///
/// The caller reads the key again, so the line itself is not read, and nothing of the stream is kept.
private final class FirstChange: HTTPClientResponseDelegate {
    typealias Response = Void

    struct Seen: Error {}

    private let hasBegun = Atomic(false)

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        var rest = buffer.readableBytesView[...]
        if !hasBegun.load(ordering: .relaxed) {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return task.eventLoop.makeSucceededVoidFuture() }
            hasBegun.store(true, ordering: .relaxed)
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(Seen())
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}

extension EtcdFault {
    /// A request that got no answer, or not all of it.
    init(_ error: any Error, at endpoint: String) {
        switch error {
        case is ResponseAccumulator.ResponseTooBigError: self = .answerTooLong
        case let error as HTTPClientError where [.connectTimeout, .tlsHandshakeTimeout].contains(error):
            self = .notSent("\(endpoint): \(error.shortDescription)")
        case let error as HTTPClientError: self = .unknown("\(endpoint): \(error.shortDescription)")
        case let error as NIOConnectionError: self = .notSent("\(endpoint): \(error)")
        case let error as IOError where error.errnoCode == ECONNREFUSED: self = .notSent("\(endpoint): connection refused")
        case NIOSSLError.handshakeFailed(let reason): self = .certificate("\(endpoint): \(reason)")
        case let error as NIOSSLExtraError: self = .certificate("\(endpoint): \(error)")
        default: self = .unknown("\(endpoint): \(error)")
        }
    }
}
