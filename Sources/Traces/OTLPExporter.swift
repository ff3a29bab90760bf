internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Sends the spans of a queue to a collector by OTLP over HTTP, a batch after the other, in a task of its own.
///
/// A batch that cannot be sent is dropped and counted: traces are for looking at, and old ones are of no use. No request of the service
/// ever waits for it.
public struct OTLPExporter: Sendable {
    /// A change that an operator should know of.
    public enum News: Sendable, Equatable {
        /// The collector does not take spans: a status or the kind of error.
        case failing(String)
        case resumed
    }

    private let url: String
    private let queue: SpanQueue
    private let encoding: OTLPEncoding
    private let tell: @Sendable (News) -> Void

    /// - Parameters:
    ///   - url: the collector's, with its path.
    ///   - version: the service's.
    ///   - tell: gets news, once each.
    public init(url: String, queue: SpanQueue, version: String, tell: @escaping @Sendable (News) -> Void = { _ in }) {
        (self.url, self.queue, encoding, self.tell) = (url, queue, OTLPEncoding(version: version), tell)
    }

    /// Sends until the task is cancelled; then what is left, once.
    public func run() async {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(TraceLimits.sendSeconds)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        var isFailing = false
        while (try? await Task.sleep(for: .seconds(TraceLimits.periodSeconds))) != nil { await drain(client, &isFailing) }
        // A request of the cancelled task would be cancelled at once.
        let wasFailing = isFailing
        await Task.detached {
            var isFailing = wasFailing
            await drain(client, &isFailing)
        }.value
        try? await client.shutdown()
    }

    private func drain(_ client: HTTPClient, _ isFailing: inout Bool) async {
        while true {
            let spans = queue.take(TraceLimits.batchSpansMax)
            guard !spans.isEmpty else { return }
            let failure = await send(spans, client)
            if let failure {
                queue.noteUnsent(spans.count)
                if !isFailing { tell(.failing(failure)) }
                isFailing = true
                return
            }
            queue.noteSent(spans.count)
            if isFailing { tell(.resumed) }
            isFailing = false
        }
    }

    /// - Returns: why the batch was not taken; nil if it was.
    private func send(_ spans: [FinishedSpan], _ client: HTTPClient) async -> String? {
        do {
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-protobuf")
            request.body = .bytes(ByteBuffer(bytes: try encoding.bytes(spans)))
            let response = try await client.execute(request, timeout: .seconds(TraceLimits.sendSeconds))
            _ = try? await response.body.collect(upTo: TraceLimits.answerBytesMax)
            return (200..<300).contains(Int(response.status.code)) ? nil : "status \(response.status.code)"
        } catch let error as HTTPClientError {
            return error.shortDescription
        } catch { return "\(type(of: error))" }
    }
}
