/// What somebody does, and how often, in hundredths.
enum Act: CaseIterable, Sendable {
    case browse
    case readCard
    case stamp
    case issue
    case redeemOrReview

    var percent: Int {
        switch self {
        case .browse: 60
        case .readCard: 20
        case .stamp: 12
        case .issue: 6
        case .redeemOrReview: 2
        }
    }

    /// The act of a hundredth, 0 ..< 100.
    init(percentile: Int) {
        var end = 0
        self = .redeemOrReview
        for act in Self.allCases {
            end += act.percent
            guard percentile >= end else {
                self = act
                return
            }
        }
    }
}
