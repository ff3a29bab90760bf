import NIOCore

/// One connection, which sends requests in turn and times them.
///
/// After 503, it retries with the same key after `Retry-After`, at most 5 seconds, up to ``Limits/refusalsMax`` times. If a server that had
/// answered becomes unreachable, it retries for a time. A POST without a key cannot be repeated, so it fails.
actor Caller {
    private let address: ServerAddress
    private let source: String?
    private let group: any EventLoopGroup
    private let measurements: Measurements
    private let record: AnswerRecord?
    private let outageSeconds: Int
    private var connection: Connection?
    /// A failed connection then means a restart and not a wrong address.
    private var hasAnswered = false

    /// Connects at the first request.
    ///
    /// - Parameters:
    ///   - source: the local address; nil for the system's choice.
    ///   - record: the file for accepted requests.
    ///   - outageSeconds: for retries while the server is unreachable.
    init(
        _ address: ServerAddress, from source: String? = nil, on group: any EventLoopGroup, into measurements: Measurements,
        record: AnswerRecord? = nil, outageSeconds: Int = Limits.outageSecondsMax
    ) {
        (self.address, self.source, self.group) = (address, source, group)
        (self.measurements, self.record, self.outageSeconds) = (measurements, record, outageSeconds)
    }

    /// - Parameter due: a late request's measured time includes the delay.
    func send(_ ask: Ask, due: ContinuousClock.Instant = .now) async throws -> Answer {
        for attempt in 0... {
            let answer = try await answered(ask)
            if let position = answer.position { measurements.see(position) }
            guard answer.status == 503, attempt < Limits.refusalsMax else {
                measurements.record(ask.route, status: answer.status, ContinuousClock.now - due)
                try record?.add(ask, answer)
                return answer
            }
            measurements.recordRetry()
            try await Task.sleep(for: .seconds(min(answer.retryAfter ?? 1, 5)))
        }
        throw LoadError.disconnected
    }

    /// Waits until lists show all answered writes, because answers to writes do not wait for them.
    func catchUp() async throws {
        var ask = Ask(.get, "/v1/shops?limit=1", route: "catch up")
        ask.minPosition = measurements.newestPosition
        _ = try await send(ask)
    }

    /// Retries a repeatable request over failed connections, for `outageSeconds`.
    ///
    /// - Throws: `LoadError.stopped` for a server that has answered before; errors of the connection for one that has not;
    ///   `CancellationError`.
    private func answered(_ ask: Ask) async throws -> Answer {
        let isRepeatable = ask.method == .get || ask.key != nil
        var end: ContinuousClock.Instant?
        defer { if end != nil { measurements.endWait() } }
        while true {
            do {
                let answer = try await exchange(ask)
                hasAnswered = true
                return answer
            } catch {
                guard hasAnswered || measurements.answers > 0, !(error is CancellationError) else { throw error }
                guard isRepeatable else { throw LoadError.stopped("\(ask.route) cannot be asked again: \(error)") }
                if end == nil { measurements.beginWait() }
                let last = end ?? ContinuousClock.now.advanced(by: .seconds(outageSeconds))
                guard ContinuousClock.now < last else { throw LoadError.stopped("it was asked again for \(outageSeconds) s: \(error)") }
                end = last
                measurements.recordRetry()
                try await Task.sleep(for: .milliseconds(Limits.outageLookMilliseconds))
            }
        }
    }

    private func exchange(_ ask: Ask) async throws -> Answer {
        let current = if let connection { connection } else { try await Connection.open(address, from: source, on: group) }
        connection = current
        do {
            return try await current.send(ask)
        } catch {
            connection = nil
            await current.close()
            throw error
        }
    }

    func close() async {
        await connection?.close()
        connection = nil
    }
}
