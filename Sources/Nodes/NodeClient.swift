internal import AsyncHTTPClient
internal import Dispatch
package import EventLog
internal import Foundation
package import Loyalty
internal import LoyaltyCodec
internal import Merkle
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// Asks another node of the same log.
///
/// All calls but ``forward(_:)`` block their thread, so they are for threads and not for tasks. Each has a deadline and a bound on the
/// bytes of its answer. Nothing is repeated, no redirect is followed. Any thread may call. Connections close with the last reference.
package final class NodeClient: Sendable {
    /// Connections to one node. The writer commits what comes by them together.
    package static let connectionsMax = 64

    /// A node's address for messages.
    package let node: NodeAddress
    private let origin: String
    let signature: NodeSignature
    private let client: HTTPClient
    private let answerSeconds: Int64
    private let keepSeconds: Int64
    private let rowsSeconds: Int64
    let forwardSeconds: Int64
    /// The position of the last answer; 0 before one.
    private let newest = Atomic<UInt64>(0)
    private let epoch = Atomic<UInt64>(0)

    /// Creates a client, which does not connect yet.
    ///
    /// - Parameters:
    ///   - origin: the log's name.
    ///   - signature: this node's, for the same log.
    ///   - authorities: a file of certificates in PEM that sign those of nodes; nil for those of the system.
    ///   - answerSeconds: until an answer is complete; an answer for a client may take longer.
    ///   - keepSeconds: until the other node has stored something, for which a client waits.
    ///   - rowsSeconds: until it has sent keys, without which this node cannot take its place.
    ///   - forwardSeconds: until it has answered a client's request.
    /// - Throws: ``NodeError/badAuthorities(path:reason:)``.
    package init(
        _ node: NodeAddress, log origin: String, signature: NodeSignature, authorities: String? = nil,
        answerSeconds: Int64 = Limits.answerSeconds, keepSeconds: Int64 = Limits.keepSeconds, rowsSeconds: Int64 = Limits.rowsSeconds,
        forwardSeconds: Int64 = Limits.forwardSeconds
    ) throws(NodeError) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(Limits.connectSeconds)
        configuration.connectionPool.idleTimeout = .seconds(Limits.idleSeconds)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsMax
        // Without it, a node that is down costs each request its whole time.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        if let authorities {
            do {
                // Read at once, so that a wrong file is an error of the start.
                let roots = try NIOSSLCertificate.fromPEMFile(authorities)
                guard !roots.isEmpty else { throw NodeError.badAuthorities(path: authorities, reason: "it is empty") }
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .certificates(roots)
                configuration.tlsConfiguration = tls
            } catch { throw error as? NodeError ?? .badAuthorities(path: authorities, reason: "\(error)") }
        }
        // One loop: AsyncHTTPClient 1.37.0 ends the process if a connection closes while a request on another loop is ending, after an
        // answer that came before the request's end.
        client = HTTPClient(eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup.any()), configuration: configuration)
        (self.node, self.origin, self.signature) = (node, origin, signature)
        (self.answerSeconds, self.keepSeconds, self.rowsSeconds) = (answerSeconds, keepSeconds, rowsSeconds)
        self.forwardSeconds = forwardSeconds
    }

    deinit { stop() }

    /// Ends all calls, also those that wait, as unreachable.
    package func stop() { client.shutdown(queue: .global()) { _ in } }

    /// The end of the other node's log, as of its last answer for this node; nil before one.
    package var head: Position? {
        let position = newest.load(ordering: .relaxed)
        return position == 0 ? nil : Position(position)
    }

    /// The wrapped key rows of accounts, as `KeyStore.wrappedRows(of:)` of the other node gives them.
    ///
    /// - Parameter accounts: at most ``NodePaths/accountsMax``.
    package func rows(of accounts: [AccountID]) throws(NodeError) -> [UInt8] {
        let names = accounts.map(\.text).joined(separator: ",")
        let answer = try ask(NodePaths.keys + "?accounts=" + names, bytesMax: Limits.rowsBytesMax, seconds: rowsSeconds)
        guard answer.status == .ok else { throw unexpected(answer) }
        return answer.bytes
    }

    /// A picture's file as `GreenTea.pictureForNode(_:)` of the other node seals it; nil if that has none.
    package func picture(_ id: ImageID) throws(NodeError) -> [UInt8]? {
        let answer = try ask(NodePaths.pictures + id.text, bytesMax: NodePaths.pictureBytesMax, seconds: Limits.pictureSeconds)
        if answer.status == .notFound { return nil }
        guard answer.status == .ok else { throw unexpected(answer) }
        return answer.bytes
    }

    /// Lets the other node store this writer's wrapped key rows.
    ///
    /// - Parameter accounts: at most ``NodePaths/accountsMax``.
    /// - Throws: ``NodeError/refused(node:reason:)`` with the other node's reason; others as ``rows(of:)``.
    package func keep(rows: [UInt8], of accounts: [AccountID], term: UInt64) throws(NodeError) {
        let names = accounts.map(\.text).joined(separator: ",")
        try keep(rows, at: "\(NodePaths.keys)?accounts=\(names)&term=\(term)")
    }

    /// Lets the other node store a picture's sealed file.
    ///
    /// - Throws: as ``keep(rows:of:term:)``.
    package func keep(picture id: ImageID, _ file: [UInt8]) throws(NodeError) {
        try keep(file, at: NodePaths.pictures + id.text)
    }

    private func keep(_ body: [UInt8], at target: String) throws(NodeError) {
        let answer = try ask(target, posting: body, bytesMax: Limits.reasonBytesMax, seconds: keepSeconds)
        if answer.status == .conflict { throw .refused(node: "\(node)", reason: String(decoding: answer.bytes, as: UTF8.self)) }
        guard answer.status == .noContent else { throw unexpected(answer) }
    }

    /// The other node's signed checkpoint, which is public. Nothing in it is checked.
    package func checkpoint() throws(NodeError) -> [UInt8] {
        let answer = try send("GET", "/checkpoint", bytesMax: Limits.checkpointBytesMax, seconds: answerSeconds)
        guard answer.status == .ok else { throw unexpected(answer) }
        return answer.bytes
    }
}

extension NodeClient: EntrySource {
    /// The next entry of the other node's log. Waits some seconds for one.
    ///
    /// - Throws: ``EventLogError`` `.unreachable`, also for a refused signature; `.logMismatch` if the node has another log;
    ///   `.engineBehind` if its log ends before the position.
    package func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let bytes = min(max(bytes, 1), NodePaths.logBytesMax)
        do throws(NodeError) {
            let answer = try ask("\(NodePaths.log)?after=\(position)&bytes=\(bytes)", bytesMax: bytes + Limits.entryBytesBeyond)
            if answer.status == .ok { return [answer.bytes] }
            guard answer.status == .noContent, let head = answer.position else { throw unexpected(answer) }
            guard head < position else { return [] }
            throw NodeError.behind(node: "\(node)", head: head, expected: position)
        } catch { throw EventLogError(error) }
    }
}

// MARK: Requests

extension NodeClient {
    struct Answer: Sendable {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let body: ByteBuffer

        var bytes: [UInt8] { Array(body.readableBytesView) }
        var position: Position? { headers.first(name: NodePaths.positionHeader).flatMap { UInt64($0) }.map { Position($0) } }
        var word: String? { headers.first(name: NodeSignature.headerName) }
        var epoch: UInt64? { headers.first(name: NodeSignature.epochHeaderName).flatMap { UInt64($0, radix: 16) } }
        /// Nothing was carried out, also of a request that must not be repeated.
        var wantsOtherEpoch: Bool { epoch != nil && word != NodeSignature.accepted }
    }

    /// Sends a signed request, again if it was signed for another epoch.
    private func ask(
        _ target: String, posting body: [UInt8]? = nil, bytesMax: Int, seconds: Int64? = nil
    ) throws(NodeError) -> Answer {
        let (method, body, seconds) = (body == nil ? "GET" : "POST", body ?? [], seconds ?? answerSeconds)
        func signed() throws(NodeError) -> Answer {
            let header = signature.header(method, target, body: body, epoch: newestEpoch)
            return noting(try send(method, target, header, body, bytesMax: bytesMax, seconds: seconds))
        }
        var answer = try signed()
        if answer.wantsOtherEpoch { answer = try signed() }
        if answer.word == NodeSignature.accepted {
            if let position = answer.position { newest.store(position.rawValue, ordering: .relaxed) }
            return answer
        }
        try refuseOtherLog(answer)
        throw refusal(answer)
    }

    /// The epoch to sign.
    var newestEpoch: UInt64 { epoch.load(ordering: .relaxed) }

    func noting(_ answer: Answer) -> Answer {
        if let newest = answer.epoch { epoch.store(newest, ordering: .relaxed) }
        return answer
    }

    /// The reason why an answer lacks ``NodeSignature/accepted``.
    func refusal(_ answer: Answer) -> NodeError {
        if let reason = answer.word { return .refused(node: "\(node)", reason: String(reason.prefix(Limits.signatureBytesMax))) }
        // A stranger is told nothing but this.
        if answer.status == .notFound { return .refused(node: "\(node)", reason: NodeRefusal.unknown.description) }
        return unexpected(answer)
    }

    /// Finds out by the public checkpoint why a signature is unknown.
    private func refuseOtherLog(_ answer: Answer) throws(NodeError) {
        guard answer.word == nil, answer.status == .notFound, let note = try? checkpoint(),
            let log = String(decoding: note, as: UTF8.self).split(separator: "\n").first, log != origin
        else { return }
        throw .otherLog(node: "\(node)", log: String(log.prefix(Limits.signatureBytesMax)), expected: origin)
    }

    func unexpected(_ answer: Answer) -> NodeError {
        .unexpected(node: "\(node)", status: Int(answer.status.code), reason: answer.word.map { String($0.prefix(200)) } ?? "")
    }

    private func send(
        _ method: String, _ target: String, _ signed: String? = nil, _ body: [UInt8] = [], bytesMax: Int, seconds: Int64
    ) throws(NodeError) -> Answer {
        var headers = HTTPHeaders()
        if let signed { headers.add(name: NodeSignature.headerName, value: signed) }
        do {
            let body = body.isEmpty ? nil : ByteBuffer(bytes: body)
            return try start(method, target, headers, body, bytesMax: bytesMax, by: .now() + .seconds(seconds)).answer.wait()
        } catch { throw failure(error, bytesMax: bytesMax) }
    }

    /// Sends a request. The deadline covers the answer's body, too, unlike that of the client's asynchronous functions.
    ///
    /// - Returns: the answer, which `cancel` ends with an error.
    func start(
        _ method: String, _ target: String, _ headers: HTTPHeaders, _ body: ByteBuffer?, bytesMax: Int, by deadline: NIODeadline
    ) throws -> (answer: EventLoopFuture<Answer>, cancel: @Sendable () -> Void) {
        let request = try HTTPClient.Request(
            url: node.description + target, method: HTTPMethod(rawValue: method), headers: headers,
            body: body.map { .byteBuffer($0) })
        let task = client.execute(
            request: request, delegate: ResponseAccumulator(request: request, maxBodySize: bytesMax), deadline: deadline)
        let answer = task.futureResult.map { Answer(status: $0.status, headers: $0.headers, body: $0.body ?? ByteBuffer()) }
        return (answer, { task.cancel() })
    }

    func failure(_ error: any Error, bytesMax: Int) -> NodeError {
        if error is ResponseAccumulator.ResponseTooBigError { return .tooLarge(node: "\(node)", bytesMax: bytesMax) }
        let reason = (error as? HTTPClientError)?.shortDescription ?? "\(error)"
        return Self.isOfConnecting(error) ? .notConnected(node: "\(node)", reason: reason) : .unreachable(node: "\(node)", reason: reason)
    }

    /// Whether an error arises only before a connection is open.
    private static func isOfConnecting(_ error: any Error) -> Bool {
        if let error = error as? HTTPClientError { return [.connectTimeout, .tlsHandshakeTimeout, .alreadyShutdown].contains(error) }
        return error is NIOConnectionError || (error as? IOError)?.errnoCode == ECONNREFUSED
    }
}

/// The paths between nodes.
package enum NodePaths {
    package static let root = "/node/"
    package static let log = "/node/log"
    package static let keys = "/node/keys"
    package static let pictures = "/node/pictures/"
    /// The head of the answering node's log.
    package static let positionHeader = "GreenTea-Position"
    /// Accounts of one request for keys: their ids take half of the bytes that a request's head may have.
    package static let accountsMax = 500
    /// Bytes of records of one entry, without the last one.
    package static let logBytesMax = 1 << 20
    /// A sealed picture. A stored one can be larger than the largest file that is accepted, 8 MiB.
    package static let pictureBytesMax = (17 << 20) + 64
}
