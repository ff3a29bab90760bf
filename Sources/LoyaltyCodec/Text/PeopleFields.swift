internal import Loyalty

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

extension ShopOpened {
    var fields: [FactField] {
        [FactField("shop", .id(shop)), FactField("owner", .id(owner))] + contact.fields + FactField.images(images) + schedule.fields
    }
}

extension ShopEdited {
    var fields: [FactField] { [FactField("shop", .id(shop))] + contact.fields + FactField.images(images) + schedule.fields + look.fields }
}

extension ShopLook {
    fileprivate var fields: [FactField] {
        (color.map { [FactField("color", .symbol($0.name))] } ?? []) + (logo.map { [FactField("logo", .id($0))] } ?? [])
    }
}

extension ShopSchedule {
    /// None for the default schedule, so that the text equals that of events from before schedules existed.
    fileprivate var fields: [FactField] {
        let zone = timeZone == Self.defaultTimeZone ? [] : [FactField("timeZone", .text(timeZone))]
        let hours = openingHours.map { hours in
            [FactField("openingHours", .text(hours.map(\.text).joined(separator: ", ")))]
        }
        return zone + (hours ?? [])
    }
}

extension OpeningHours {
    /// The hours as text, such as `monday,tuesday 08:00-22:00`.
    fileprivate var text: String { "\(names.joined(separator: ",")) \(DayClock.text(fromMinute))-\(DayClock.text(toMinute))" }
}

extension HeldContact {
    fileprivate var fields: [FactField] {
        switch self {
        case .clear(let contact):
            [
                FactField("name", .text(contact.name)), FactField("phone", .text(contact.phone)),
                FactField("address", .text(contact.address)), FactField("latitude", .degrees(contact.location.latitude)),
                FactField("longitude", .degrees(contact.location.longitude)),
            ]
        case .sealed(let sealed): [FactField("contact", .sealed(sealed))]
        case .erased: []
        }
    }
}

extension ShopClosed {
    var fields: [FactField] {
        let fields = [
            FactField("shop", .id(shop)), FactField("redeemUntil", .time(redeemUntil)),
            FactField("erasesContact", .integer(erasesContact ? 1 : 0)),
        ]
        return fields + (reason.map { [FactField("reason", .sealed($0))] } ?? [])
    }
}
