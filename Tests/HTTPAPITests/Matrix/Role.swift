/// Every kind of caller that the contract distinguishes, as seen from one shop.
enum Role: String, CaseIterable, Sendable {
    /// The caller is not signed in.
    case none
    case customer
    /// The owner of another shop, who is an ordinary customer here.
    case other
    case staff
    case owner
    /// A member of the staff who manages the shop. Rows without a status for managers treat managers like other staff.
    case manager
    case `operator`

    /// The roles for which every row gives a status, in the order of the statuses.
    static let named: [Role] = [.none, .customer, .other, .staff, .owner, .operator]

    var phone: String? {
        switch self {
        case .none: nil
        case .customer: "+8613800138002"
        case .other: "+8613800138003"
        case .staff: "+8613800138004"
        case .owner: "+8613800138001"
        case .operator: Stage.operatorPhone
        case .manager: "+8613800138005"
        }
    }
}
