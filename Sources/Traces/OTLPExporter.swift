internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Sends a queue's spans to a collector by OTLP over HTTP, in batches, in a task of its own. A batch that cannot be sent is dropped and
/// counted, because old traces are useless. Requests never wait, and each batch and the end have time limits.
public struct OTLPExporter: Sendable {
    /// A change in whether the collector accepts spans, for an operator.
    public enum News: Sendable, Equatable {
        /// A status or the kind of error.
        case failing(String)
        case resumed
    }

    /// Waits between reads of the queue, and for a batch's time limit; replaced in tests.
    public typealias Pause = @Sendable (Duration) async throws -> Void

    private let url: String
    private let queue: SpanQueue
    private let encoding: OTLPEncoding
    private let tell: @Sendable (News) -> Void
    private let pause: Pause

    /// - Parameters:
    ///   - url: the collector's, with its path.
    ///   - tell: called when the collector stops accepting spans, and when it accepts them again.
    ///   - pause: ends early if the task is cancelled.
    public init(
        url: String, queue: SpanQueue, version: String, tell: @escaping @Sendable (News) -> Void = { _ in },
        pause: @escaping Pause = { try await Task.sleep(for: $0) }
    ) {
        (self.url, self.queue, self.tell, self.pause) = (url, queue, tell, pause)
        encoding = OTLPEncoding(version: version)
    }

    /// Sends spans until the task is cancelled, then those still queued.
    public func run() async {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(TraceLimits.connectSeconds)
        // One loop: AsyncHTTPClient 1.37.0 ends the process if a connection closes between two.
        let client = HTTPClient(eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup.any()), configuration: configuration)
        var isFailing = false
        while (try? await pause(TraceLimits.period)) != nil { await sendBatches(client, &isFailing) }
        await sendLast(client, &isFailing)
        try? await client.shutdown()
    }

    /// Sends a batch, and further ones while the collector accepts them and the queue can fill one.
    private func sendBatches(_ client: HTTPClient, _ isFailing: inout Bool) async {
        var isTaken = await send(TraceLimits.batchSpansMax, client, within: TraceLimits.send, &isFailing)
        while isTaken, queue.count >= TraceLimits.batchSpansMax, !Task.isCancelled {
            isTaken = await send(TraceLimits.batchSpansMax, client, within: TraceLimits.send, &isFailing)
        }
    }

    /// Sends the spans queued now; later ones would never end while requests are answered.
    private func sendLast(_ client: HTTPClient, _ isFailing: inout Bool) async {
        let end = ContinuousClock.now + TraceLimits.last
        var left = queue.count
        while left > 0 {
            let time = min(TraceLimits.send, ContinuousClock.now.duration(to: end))
            let count = min(left, TraceLimits.batchSpansMax)
            guard time > .zero, await send(count, client, within: time, &isFailing) else { return }
            left -= count
        }
    }

    /// Sends at most `count` spans, oldest first. Returns whether the collector accepted them; true without spans.
    private func send(_ count: Int, _ client: HTTPClient, within time: Duration, _ isFailing: inout Bool) async -> Bool {
        let spans = queue.take(count)
        guard !spans.isEmpty else { return true }
        if let failure = await causeOfFailure(of: spans, client, within: time) {
            queue.noteUnsent(spans.count)
            if !isFailing { tell(.failing(failure)) }
            isFailing = true
            return false
        }
        queue.noteSent(spans.count)
        if isFailing { tell(.resumed) }
        isFailing = false
        return true
    }

    /// Sends a batch within a time limit. Returns the reason why it was not accepted; nil if it was.
    private func causeOfFailure(of spans: [FinishedSpan], _ client: HTTPClient, within time: Duration) async -> String? {
        // A separate task, because the exporter's own may be cancelled, and the request with it.
        let race = Task.detached {
            await withTaskGroup(of: String?.self) { group in
                group.addTask { await post(spans, client) }
                group.addTask {
                    try? await pause(time)
                    return "timeout"
                }
                let first: String? = await group.next() ?? nil
                group.cancelAll()
                return first
            }
        }
        return await race.value
    }

    private func post(_ spans: [FinishedSpan], _ client: HTTPClient) async -> String? {
        do {
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-protobuf")
            request.body = .bytes(ByteBuffer(bytes: try encoding.bytes(spans)))
            // This timeout ends with the answer's head. The batch's shorter limit covers the whole answer.
            let response = try await client.execute(request, timeout: .minutes(1))
            do {
                // Read to its end so that the connection can be reused.
                _ = try await response.body.collect(upTo: TraceLimits.answerBytesMax)
            } catch is NIOTooManyBytesError {}  // The status is sufficient.
            return (200..<300).contains(Int(response.status.code)) ? nil : "status \(response.status.code)"
        } catch let error as HTTPClientError {
            return error.shortDescription
        } catch { return "\(type(of: error))" }
    }
}
