public import CommandService
import Composition
import Loyalty

/// The reason why an import cannot begin or continue. Imported rows stay, and importing the same file again continues after them.
public enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case unusableHeader(String)
    case unusableName(String)
    case unusableGoal(Int, allowed: ClosedRange<Int>)
    case tooManyVisits(max: Int)
    case tooManyShops(max: Int)
    case tooManyOwned(max: Int)
    case importedWithOtherGoal(shop: String)
    /// The service rejected a command that it should have accepted.
    case refused(what: String, line: Int, ServiceError)
    case stopped(what: String, line: Int, reason: String)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason). Name the CSV file with --visits."
        case .unusableHeader(let complaint):
            "the header is unusable: \(complaint). The first line must name the columns: visited_at,customer and, where there are any, "
                + "shop,latitude,longitude,stamps."
        case .unusableName(let complaint): "the shop's name \(complaint)."
        case .unusableGoal(let goal, let allowed):
            "a card cannot have the goal \(goal): choose \(allowed.lowerBound) to \(allowed.upperBound)."
        case .tooManyShops(let max): "the file has more than \(max) shops, and no campaign can be shared by more: leave out --one-card."
        case .tooManyOwned(let max):
            "one account owns \(max) open shops at most: leave out --owner-phone, so that each shop has an owner of its own, or split the "
                + "file and name several numbers."
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
    /// How often, and at which pause in milliseconds, a stopped service is asked for the reason.
    private static let asksMax = 200
    private static let askMilliseconds = 10

    /// Converts an error of the service. If the service has stopped, waits for the reason; without one, the result is
    /// ``refused(what:line:_:)``.
    static func refusal(of error: ServiceError, to what: String, line: Int, by service: GreenTea) async -> ImportError {
        if error == .rejected(.alreadyMerchant) { return .tooManyOwned(max: Loyalty.Limits.openShopsPerAccount) }
        guard error == .stopping else { return .refused(what: what, line: line, error) }
        for _ in 0..<asksMax {
            if let reason = service.failure { return .stopped(what: what, line: line, reason: reason) }
            try? await Task.sleep(for: .milliseconds(askMilliseconds))
        }
        return .refused(what: what, line: line, error)
    }
}
