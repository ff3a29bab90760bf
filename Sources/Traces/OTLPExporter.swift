internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Sends the spans of a queue to a collector by OTLP over HTTP, batch by batch, in a task of its own.
///
/// A batch that cannot be sent is dropped and counted, because old traces are useless. The service's requests never wait for the exporter.
/// A slow collector cannot block the exporter, because each batch has a time limit. When the service ends, sending the remaining spans also
/// has a time limit.
public struct OTLPExporter: Sendable {
    /// A change in whether the collector accepts spans. An operator should know of it.
    public enum News: Sendable, Equatable {
        /// The collector does not accept spans. The value is a status or the kind of error.
        case failing(String)
        case resumed
    }

    /// A function that waits for a duration: between two reads of the queue, and until the time limit of a batch. Tests pass a function
    /// that does not wait.
    public typealias Pause = @Sendable (Duration) async throws -> Void

    private let url: String
    private let queue: SpanQueue
    private let encoding: OTLPEncoding
    private let tell: @Sendable (News) -> Void
    private let pause: Pause

    /// - Parameters:
    ///   - url: the collector's URL, with its path.
    ///   - version: the service's version.
    ///   - tell: called when the collector stops accepting spans, and when it accepts them again.
    ///   - pause: waits for a duration, or until the task is cancelled.
    public init(
        url: String, queue: SpanQueue, version: String, tell: @escaping @Sendable (News) -> Void = { _ in },
        pause: @escaping Pause = { try await Task.sleep(for: $0) }
    ) {
        (self.url, self.queue, self.tell, self.pause) = (url, queue, tell, pause)
        encoding = OTLPEncoding(version: version)
    }

    /// Sends spans regularly until the task is cancelled. Then sends the spans that are in the queue at that moment, and returns.
    public func run() async {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(TraceLimits.connectSeconds)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        var isFailing = false
        while (try? await pause(TraceLimits.period)) != nil { await sendBatches(client, &isFailing) }
        await sendLast(client, &isFailing)
        try? await client.shutdown()
    }

    /// Sends one batch of spans. Sends further batches while the collector accepts them and the queue has enough spans for a full batch.
    /// The remaining spans wait for the next call.
    private func sendBatches(_ client: HTTPClient, _ isFailing: inout Bool) async {
        var isTaken = await send(TraceLimits.batchSpansMax, client, within: TraceLimits.send, &isFailing)
        while isTaken, queue.count >= TraceLimits.batchSpansMax, !Task.isCancelled {
            isTaken = await send(TraceLimits.batchSpansMax, client, within: TraceLimits.send, &isFailing)
        }
    }

    /// Sends the spans that are in the queue now. Spans that end later are not sent: while requests are answered, more would always follow.
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

    /// Takes at most `count` spans from the queue, oldest first, and sends them.
    ///
    /// - Returns: whether the collector accepted them; true if there are none.
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

    /// Sends a batch, and gives up after a time limit, however slow the collector is.
    ///
    /// - Returns: the reason why the batch was not accepted; nil if it was.
    private func causeOfFailure(of spans: [FinishedSpan], _ client: HTTPClient, within time: Duration) async -> String? {
        // The request runs in a separate task. In the exporter's own task, which may be cancelled, the request would be cancelled at once.
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
            // This timeout covers only the time until the head of the answer arrives. The time limit of the batch is shorter and covers the
            // whole answer.
            let response = try await client.execute(request, timeout: .minutes(1))
            do {
                // The answer is read to its end so that the connection can be reused.
                _ = try await response.body.collect(upTo: TraceLimits.answerBytesMax)
            } catch is NIOTooManyBytesError {}  // The status is sufficient.
            return (200..<300).contains(Int(response.status.code)) ? nil : "status \(response.status.code)"
        } catch let error as HTTPClientError {
            return error.shortDescription
        } catch { return "\(type(of: error))" }
    }
}
