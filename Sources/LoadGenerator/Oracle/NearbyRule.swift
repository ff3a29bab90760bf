/// What must hold for shops around a shop.
enum NearbyRule {
    /// Metres by which a shop may be away from itself: coordinates are stored as they were sent, and a distance is told in millimetres.
    private static let metersMax = 1.0

    /// What is wrong; nil where nothing is.
    static func violation(of items: [FoundBody], within radius: Double) -> String? {
        let distances = items.compactMap(\.distance)
        guard distances.count == items.count else { return "a shop nearby has no distance" }
        guard let nearest = distances.first, nearest <= metersMax else { return "a shop is not found where it stands" }
        guard zip(distances, distances.dropFirst()).allSatisfy({ $0 <= $1 }) else { return "shops nearby are not in the order of distance" }
        guard distances.allSatisfy({ $0 <= radius }) else { return "a shop nearby is out of reach" }
        return nil
    }
}
