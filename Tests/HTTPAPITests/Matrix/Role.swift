/// Every kind of caller that the contract distinguishes, as seen from one shop.
enum Role: String, CaseIterable, Sendable {
    /// The caller is not signed in.
    case none
    case customer
    /// The owner of another shop, who is an ordinary customer here.
    case other
    case staff
    case owner
    case `operator`

    var phone: String? {
        switch self {
        case .none: nil
        case .customer: "+8613800138002"
        case .other: "+8613800138003"
        case .staff: "+8613800138004"
        case .owner: "+8613800138001"
        case .operator: Stage.operatorPhone
        }
    }
}
