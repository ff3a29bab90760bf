package import NIOCore
internal import NIOHTTP1

/// A client's request that another node shall answer.
package struct ForwardedRequest: Sendable {
    package let method: String
    /// The path and, after a question mark, the query if it is not empty.
    package let target: String
    /// As the client sent them.
    package let headers: [(name: String, value: String)]
    package let body: ByteBuffer
    /// The client's address; nil if it has no limits.
    package let client: String?
    /// Whether the other node recognises a repetition.
    package let isRepeatable: Bool

    package init(
        _ method: String, _ target: String, headers: [(name: String, value: String)], body: ByteBuffer, client: String?, isRepeatable: Bool
    ) {
        (self.method, self.target, self.headers) = (method, target, headers)
        (self.body, self.client) = (body, client)
        self.isRepeatable = isRepeatable && !NodeClient.named(in: headers).contains(NodeClient.key)
    }

    /// Whether a URL has these bytes unchanged (RFC 3986, 3.3 and 3.4). No route has others.
    package static func allows(_ target: String) -> Bool {
        // The first piece is what precedes any `%`; each other one begins with the two digits of an encoded byte.
        let encoded = target.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
        return target.utf8.first == UInt8(ascii: "/") && target.utf8.allSatisfy(isAllowed)
            && encoded.allSatisfy { $0.count >= 2 && $0.prefix(2).allSatisfy(\.isHexDigit) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:@%/?".utf8.contains(byte)
        }
    }
}

/// Another node's answer to a client's request.
package struct ForwardedAnswer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: ByteBuffer
}

extension NodeClient {
    /// Lets the other node answer a client's request.
    ///
    /// Only a repeatable request is sent a second time, once, and only if its answer was lost. The caller MUST bound the number of calls.
    ///
    /// - Parameter isReplaced: asked meanwhile; if true, the answer is awaited no longer.
    /// - Throws: ``NodeError``. After `.unreachable`, `.unexpected` and `.tooLarge`, the other node may have carried out the request.
    package func forward(
        _ request: ForwardedRequest, until isReplaced: @escaping @Sendable () -> Bool = { false }
    ) async throws(NodeError) -> ForwardedAnswer {
        let deadline = NIODeadline.now() + .seconds(forwardSeconds)
        let answer: Answer
        do throws(NodeError) { answer = try await attempt(request, by: deadline, isReplaced) } catch {
            guard case .unreachable = error, request.isRepeatable, NIODeadline.now() < deadline, !isReplaced() else { throw error }
            answer = try await attempt(request, by: deadline, isReplaced)
        }
        guard answer.word == NodeSignature.accepted else { throw refusal(answer) }
        let headers = Self.endToEnd(answer.headers.map { (name: $0.name, value: $0.value) }, besides: Self.written)
        return ForwardedAnswer(status: Int(answer.status.code), headers: headers, body: answer.body)
    }

    private func attempt(
        _ request: ForwardedRequest, by deadline: NIODeadline, _ isReplaced: @escaping @Sendable () -> Bool
    ) async throws(NodeError) -> Answer {
        let answer = try await send(request, by: deadline, isReplaced)
        return answer.wantsOtherEpoch ? try await send(request, by: deadline, isReplaced) : answer
    }

    private func send(
        _ request: ForwardedRequest, by deadline: NIODeadline, _ isReplaced: @escaping @Sendable () -> Bool
    ) async throws(NodeError) -> Answer {
        let body = Array(request.body.readableBytesView)
        var headers = HTTPHeaders(Self.endToEnd(request.headers, besides: Self.replaced))
        headers.add(
            name: NodeSignature.headerName,
            value: signature.header(request.method, request.target, body: body, for: request.client, epoch: newestEpoch))
        do {
            let (answer, cancel) = try start(
                request.method, request.target, headers, body.isEmpty ? nil : request.body, bytesMax: Limits.forwardedBytesMax,
                by: deadline)
            let look = answer.eventLoop.scheduleRepeatedTask(initialDelay: Limits.replacedLook, delay: Limits.replacedLook) { _ in
                if isReplaced() { cancel() }
            }
            defer { look.cancel() }
            return noting(try await answer.get())
        } catch { throw failure(error, bytesMax: Limits.forwardedBytesMax) }
    }

    /// Headers of one connection (RFC 9110, 7.6.1), besides those that `Connection` names.
    private static let hopByHop: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
    ]
    /// Headers of a request that this node writes itself, or answers, or that are no longer true.
    private static let replaced: Set<String> = ["host", "expect", "x-forwarded-for", NodeSignature.headerName.lowercased()]
    /// Headers of an answer that this node writes itself.
    private static let written: Set<String> = [
        "date", "server", NodeSignature.headerName.lowercased(), NodeSignature.epochHeaderName.lowercased(),
    ]

    /// Without it, the other node recognises no repetition.
    fileprivate static let key = "idempotency-key"

    /// The headers that `Connection` names.
    fileprivate static func named(in headers: [(name: String, value: String)]) -> [String] {
        headers.filter { $0.name.lowercased() == "connection" }.flatMap { header -> [String] in
            header.value.lowercased().split(separator: ",").map { String($0.filter { $0 != " " && $0 != "\t" }) }
        }
    }

    private static func endToEnd(
        _ headers: [(name: String, value: String)], besides others: Set<String>
    ) -> [(name: String, value: String)] {
        let named = named(in: headers)
        return headers.filter { header in
            let name = header.name.lowercased()
            return !hopByHop.contains(name) && !others.contains(name) && !named.contains(name)
        }
    }
}
