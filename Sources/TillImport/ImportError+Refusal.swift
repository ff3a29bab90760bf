internal import CommandService

extension ImportError {
    /// How often the service is asked why it stopped, and milliseconds between: its threads refuse before they have said why.
    private static let asksMax = 200
    private static let askMilliseconds = 10

    /// What the service would not do, with the reason why it stopped where that is the cause: nobody else stops it during an import.
    static func refusal(of error: ServiceError, to what: String, line: Int, by service: GreenTea) async -> ImportError {
        guard error == .stopping else { return .refused(what: what, line: line, error) }
        for _ in 0..<asksMax {
            if let reason = service.failure { return .stopped(what: what, line: line, reason: reason) }
            try? await Task.sleep(for: .milliseconds(askMilliseconds))
        }
        return .refused(what: what, line: line, error)
    }
}
