public import CommandService

/// Why an import cannot begin or go on; each says what to do. What was imported before it stands, and importing the same file
/// again goes on from there.
public enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case unusableHeader(String)
    case unusableName(String)
    case unusableGoal(Int, allowed: ClosedRange<Int>)
    case tooManyVisits(max: Int)
    /// The shop's history was imported before, under another goal.
    case importedWithOtherGoal(shop: String)
    /// The service refused something that it must not refuse.
    case refused(what: String, line: Int, ServiceError)
    /// The service stopped for good: the disk is full, or broken.
    case stopped(what: String, line: Int, reason: String)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason). Name the CSV file with --visits."
        case .unusableHeader(let complaint):
            "the header is unusable: \(complaint). The first line must name the columns: visited_at,customer and, where there are any, "
                + "shop,latitude,longitude."
        case .unusableName(let complaint): "the shop's name \(complaint)."
        case .unusableGoal(let goal, let allowed):
            "a card cannot have the goal \(goal): choose \(allowed.lowerBound) to \(allowed.upperBound)."
        case .tooManyVisits(let max): "the file has more than \(max) visits: split it."
        case .importedWithOtherGoal(let shop):
            "the history of \(shop) was imported here before with another goal: use that goal, another --shop, or another data folder."
        case .refused(let what, let line, let error): "line \(line): the service refused to \(what): \(error)"
        case .stopped(let what, let line, let reason):
            "line \(line): the service stopped before it could \(what): \(reason) Then import the same file again: what is imported "
                + "stands, and it goes on from there."
        }
    }
}

extension ImportError {
    /// How often the service is asked why it stopped, and milliseconds between: its threads refuse before they have said why.
    private static let asksMax = 200
    private static let askMilliseconds = 10

    /// A refusal by the service, with the reason if it stopped: only a failure stops it during an import.
    static func refusal(of error: ServiceError, to what: String, line: Int, by service: GreenTea) async -> ImportError {
        guard error == .stopping else { return .refused(what: what, line: line, error) }
        for _ in 0..<asksMax {
            if let reason = service.failure { return .stopped(what: what, line: line, reason: reason) }
            try? await Task.sleep(for: .milliseconds(askMilliseconds))
        }
        return .refused(what: what, line: line, error)
    }
}
