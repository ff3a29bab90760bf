import Hummingbird

/// Which part of a list is asked for.
struct PageRequest: Sendable {
    let limit: Int
    /// As the client sent it; the list itself reads it.
    let cursor: String?

    init(_ request: Request) throws(Problem) {
        let parameters = request.uri.queryParameters
        cursor = parameters["cursor"].map(String.init)
        let text = parameters["limit"] ?? "\(Limits.pageItemsDefault)"
        guard let limit = Int(text), Limits.pageItems.contains(limit) else {
            throw .invalid("limit", "must be \(Limits.pageItems.lowerBound) to \(Limits.pageItems.upperBound)")
        }
        self.limit = limit
    }
}
