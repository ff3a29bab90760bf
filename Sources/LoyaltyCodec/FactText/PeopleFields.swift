internal import Loyalty

/// How the events of accounts, sessions, shops and reviews are shown.
extension AccountRegistered {
    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("phone", .secret(phone)), FactField("sealedPhone", .sealed(sealedPhone))]
    }
}

extension SessionStarted {
    var fields: [FactField] {
        [
            FactField("session", .id(session)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt)),
            FactField("token", .secret(token)),
        ]
    }
}

extension SessionRefreshed {
    var fields: [FactField] {
        [
            FactField("session", .id(session)), FactField("account", .id(account)), FactField("expiresAt", .time(expiresAt)),
            FactField("token", .secret(token)),
        ]
    }
}

extension SessionEnded {
    var fields: [FactField] {
        let word =
            switch ending {
            case .signedOut: "signedOut"
            case .tokenReused: "tokenReused"
            }
        return [FactField("session", .id(session)), FactField("account", .id(account)), FactField("ending", .symbol(word))]
    }
}

extension ProfileEdited {
    var fields: [FactField] {
        [FactField("account", .id(account))]
            + change.fields.compactMap { name, change in
                switch change {
                case .unchanged: nil
                case .cleared: FactField(name, .symbol("cleared"))
                case .set(let sealed): FactField(name, .sealed(sealed))
                }
            }
    }
}

extension PasswordSet {
    var fields: [FactField] {
        [FactField("account", .id(account)), FactField("sealedHash", .sealed(sealedHash))]
    }
}

extension PasswordRemoved {
    var fields: [FactField] {
        [FactField("account", .id(account))]
    }
}

extension AccountErased {
    var fields: [FactField] {
        [FactField("account", .id(account))]
    }
}

extension ShopOpened {
    var fields: [FactField] {
        [
            FactField("shop", .id(shop)), FactField("owner", .id(owner)), FactField("name", .text(name)),
            FactField("phone", .text(phone)), FactField("address", .text(address)),
            FactField("latitude", .degrees(location.latitude)), FactField("longitude", .degrees(location.longitude)),
        ] + FactField.images(images)
    }
}

extension ShopEdited {
    var fields: [FactField] {
        [
            FactField("shop", .id(shop)), FactField("name", .text(name)), FactField("phone", .text(phone)),
            FactField("address", .text(address)), FactField("latitude", .degrees(location.latitude)),
            FactField("longitude", .degrees(location.longitude)),
        ] + FactField.images(images)
    }
}

extension StaffAdded {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension StaffRemoved {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("account", .id(account))]
    }
}

extension ShopSuspended {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("reason", .text(reason))]
    }
}

extension ShopReinstated {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("reason", .text(reason))]
    }
}

extension ReviewPosted {
    var fields: [FactField] {
        var fields = [FactField("review", .id(review)), FactField("shop", .id(shop)), FactField("author", .id(author))]
        if let rating { fields.append(FactField("rating", .integer(rating))) }
        if let text { fields.append(FactField("text", .sealed(text))) }
        return fields
    }
}

extension ReplyPosted {
    var fields: [FactField] {
        [
            FactField("reply", .id(reply)), FactField("parent", .id(parent)), FactField("thread", .id(thread)),
            FactField("shop", .id(shop)), FactField("author", .id(author)), FactField("depth", .integer(depth)),
            FactField("text", .sealed(text)),
        ]
    }
}
