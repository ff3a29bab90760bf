import NIOCore

/// One lane's connection to the server, with the times of its requests.
///
/// A 503 of a busy server is retried with the same key, as its `Retry-After` says, so that the outcome of a request is never in doubt. A
/// server that goes away after it has answered is waited for: a restart takes seconds, and the same request with the same key gets the
/// original answer then. A request that cannot be repeated so fails with its connection.
actor Caller {
    private let address: ServerAddress
    private let source: String?
    private let group: any EventLoopGroup
    private let measurements: Measurements
    private let record: AnswerRecord?
    private var connection: Connection?
    /// Whether this server has answered before, so that its absence is a restart and no mistyped address.
    private var hasAnswered = false

    /// - Parameters:
    ///   - source: the address of this machine that its connections come from; nil for whatever the system takes.
    ///   - record: where accepted requests are kept, if anywhere.
    init(
        _ address: ServerAddress, from source: String? = nil, on group: any EventLoopGroup, into measurements: Measurements,
        record: AnswerRecord? = nil
    ) {
        (self.address, self.source, self.group) = (address, source, group)
        (self.measurements, self.record) = (measurements, record)
    }

    /// - Parameter due: when the request was to be sent: a lane that is late counts what its customer waited.
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

    /// Waits until lists and pages show everything that anybody has written: answers to writes do not wait for that.
    func catchUp() async throws {
        var ask = Ask(method: .get, route: "catch up", path: "/v1/shops?limit=1")
        ask.minPosition = measurements.newestPosition
        _ = try await send(ask)
    }

    /// Repeats a request that broke with its connection, until the server is back.
    private func answered(_ ask: Ask) async throws -> Answer {
        let isRepeatable = ask.method == .get || ask.key != nil
        let end = ContinuousClock.now.advanced(by: .seconds(Limits.outageSecondsMax))
        while true {
            do {
                let answer = try await exchange(ask)
                hasAnswered = true
                return answer
            } catch {
                guard hasAnswered, isRepeatable, !(error is CancellationError), ContinuousClock.now < end else { throw error }
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
