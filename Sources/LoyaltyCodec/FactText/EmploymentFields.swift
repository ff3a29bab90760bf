internal import Loyalty

/// How the events of offers, staff and mutes are shown.
extension StaffInvited {
    var fields: [FactField] {
        [
            FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account)),
            FactField("expiresAt", .time(expiresAt)),
        ]
    }
}

extension InvitationEnded {
    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension StaffJoined {
    var fields: [FactField] {
        [FactField("invitation", .id(invitation)), FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension EmploymentEnded {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopMuted {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopUnmuted {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}
