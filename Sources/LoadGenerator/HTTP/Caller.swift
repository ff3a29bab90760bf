import NIOCore

/// One connection to the server, such as that of a ``Lane``. It sends requests one after the other, and records how long each takes.
///
/// If a busy server answers 503, the request is sent again with the same key after `Retry-After`, but at the latest after 5 seconds, and at
/// most ``Limits/refusalsMax`` times. If the server becomes unreachable after it has answered before, the caller waits: a restart takes
/// seconds, and then the same request with the same key gets the original answer. A POST without a key cannot be repeated in this way, so
/// it fails when its connection fails.
actor Caller {
    private let address: ServerAddress
    private let source: String?
    private let group: any EventLoopGroup
    private let measurements: Measurements
    private let record: AnswerRecord?
    private let outageSeconds: Int
    private var connection: Connection?
    /// Whether the server has answered this caller before, so that a failed connection means a restart and not a wrong address.
    private var hasAnswered = false

    /// Creates a caller, which connects at its first request.
    ///
    /// - Parameters:
    ///   - source: the local address of the caller's connections; nil for the system's choice.
    ///   - record: the file for accepted requests, if any.
    ///   - outageSeconds: the seconds for which requests are tried again after the server has become unreachable.
    init(
        _ address: ServerAddress, from source: String? = nil, on group: any EventLoopGroup, into measurements: Measurements,
        record: AnswerRecord? = nil, outageSeconds: Int = Limits.outageSecondsMax
    ) {
        (self.address, self.source, self.group) = (address, source, group)
        (self.measurements, self.record, self.outageSeconds) = (measurements, record, outageSeconds)
    }

    /// Sends a request.
    ///
    /// - Parameter due: the time at which the request was due. If the request is sent late, the measured time includes the delay.
    func send(_ ask: Ask, due: ContinuousClock.Instant = .now) async throws -> Answer {
        for attempt in 0... {
            let answer = try await answered(ask)
            if let position = answer.position { measurements.see(position) }
            guard answer.status == 503, attempt < Limits.refusalsMax else {
                measurements.record(ask.route, status: answer.status, ContinuousClock.now - due)
                try record?.add(ask, answer)
                return answer
            }
            measurements.recordRefusal()
            try await Task.sleep(for: .seconds(min(answer.retryAfter ?? 1, 5)))
        }
        throw LoadError.disconnected
    }

    /// Waits until lists and pages show all writes that were answered so far. Without this wait they may lag behind, because the answer to
    /// a write does not wait for them.
    func catchUp() async throws {
        var ask = Ask(method: .get, route: "catch up", path: "/v1/shops?limit=1")
        ask.minPosition = measurements.newestPosition
        _ = try await send(ask)
    }

    /// Sends a request. If its connection fails, a repeatable request is sent again until the server answers, but not longer than
    /// `outageSeconds`.
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
                measurements.recordRefusal()
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
