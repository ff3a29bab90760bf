internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Sends the spans of a queue to a collector by OTLP over HTTP, a batch after the other, in a task of its own.
///
/// A batch that cannot be sent is dropped and counted: traces are for looking at, and old ones are of no use. No request of the service
/// ever waits for it, and no collector can hold it up: a batch has a time limit, and so has the end.
public struct OTLPExporter: Sendable {
    /// A change that an operator should know of.
    public enum News: Sendable, Equatable {
        /// The collector does not take spans: a status or the kind of error.
        case failing(String)
        case resumed
    }

    /// Waits between looks at the queue and for the end of a batch's time; tests replace it so that they need not wait.
    public typealias Pause = @Sendable (Duration) async throws -> Void

    private let url: String
    private let queue: SpanQueue
    private let encoding: OTLPEncoding
    private let tell: @Sendable (News) -> Void
    private let pause: Pause

    /// - Parameters:
    ///   - url: the collector's, with its path.
    ///   - version: the service's.
    ///   - tell: gets news, once each.
    ///   - pause: waits so long, or until the task is cancelled.
    public init(
        url: String, queue: SpanQueue, version: String, tell: @escaping @Sendable (News) -> Void = { _ in },
        pause: @escaping Pause = { try await Task.sleep(for: $0) }
    ) {
        (self.url, self.queue, self.tell, self.pause) = (url, queue, tell, pause)
        encoding = OTLPEncoding(version: version)
    }

    /// Sends until the task is cancelled; then what waits at that moment, once.
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

    /// Sends a batch, and then only full ones: a few spans wait for the next look.
    private func sendBatches(_ client: HTTPClient, _ isFailing: inout Bool) async {
        var isTaken = await send(TraceLimits.batchSpansMax, client, within: TraceLimits.send, &isFailing)
        while isTaken, queue.count >= TraceLimits.batchSpansMax, !Task.isCancelled {
            isTaken = await send(TraceLimits.batchSpansMax, client, within: TraceLimits.send, &isFailing)
        }
    }

    /// Sends what waits now and nothing that comes later, or there would be no end while requests are answered.
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

    /// Takes the oldest spans, at most so many, and sends them.
    ///
    /// - Returns: whether the collector took them; true where there are none.
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

    /// Sends a batch, for so long at most, whatever the collector does.
    ///
    /// - Returns: why the batch was not taken; nil if it was.
    private func causeOfFailure(of spans: [FinishedSpan], _ client: HTTPClient, within time: Duration) async -> String? {
        // In a task of its own: a request of the exporter's cancelled task would be cancelled at once.
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
            // It ends with the answer's head, and before it the batch's own time does.
            let response = try await client.execute(request, timeout: .minutes(1))
            do {
                // Read so that the connection can be used again.
                _ = try await response.body.collect(upTo: TraceLimits.answerBytesMax)
            } catch is NIOTooManyBytesError {}  // The status says it all.
            return (200..<300).contains(Int(response.status.code)) ? nil : "status \(response.status.code)"
        } catch let error as HTTPClientError {
            return error.shortDescription
        } catch { return "\(type(of: error))" }
    }
}
