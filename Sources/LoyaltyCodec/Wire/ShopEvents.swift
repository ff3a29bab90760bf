internal import EventLog
internal import Loyalty

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ShopOpened {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopOpened()
        if case .clear(let contact) = contact {
            message.name = contact.name
            message.phone = contact.phone
            message.address = contact.address
            message.latitude = try contact.location.checked().latitude
            message.longitude = contact.location.longitude
        }
        message.sealedContact = try contact.sealedField()
        message.images = try WireImages.data(images)
        (message.timeZone, message.saysOpeningHours) = (schedule.timeZone, schedule.openingHours != nil)
        message.openingHours = try WireHours.numbers(schedule)
        return try EventDraft(.shopOpened, [Tag(.account, owner.value), Tag(.shop, shop.value)] + WireImages.tags(images), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let message = try event.message(WireShopOpened.self)
        let schedule = try WireHours.schedule(message.timeZone, isSaid: message.saysOpeningHours, message.openingHours)
        try self.init(message, event, schedule)
    }

    /// For any version; the callers handle the differences.
    init(_ message: WireShopOpened, _ event: some StoredEvent & ~Escapable, _ schedule: ShopSchedule) throws(CodecError) {
        let location = Coordinate(latitude: message.latitude, longitude: message.longitude)
        let clear = ShopContact(name: message.name, phone: message.phone, address: message.address, location: location)
        self.init(
            shop: try event.id(.shop),
            owner: try event.id(.account),
            contact: try HeldContact(clear: clear, sealed: message.sealedContact),
            images: try WireImages.images(message.images, of: event, besides: 2), schedule: schedule)
    }
}

extension ShopEdited {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopEdited()
        if case .clear(let contact) = contact {
            message.name = contact.name
            message.phone = contact.phone
            message.address = contact.address
            message.latitude = try contact.location.checked().latitude
            message.longitude = contact.location.longitude
        }
        message.sealedContact = try contact.sealedField()
        message.images = try WireImages.data(images)
        (message.timeZone, message.saysOpeningHours) = (schedule.timeZone, schedule.openingHours != nil)
        message.openingHours = try WireHours.numbers(schedule)
        return try EventDraft(.shopEdited, [Tag(.shop, shop.value)] + WireImages.tags(images), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let message = try event.message(WireShopEdited.self)
        let schedule = try WireHours.schedule(message.timeZone, isSaid: message.saysOpeningHours, message.openingHours)
        try self.init(message, event, schedule)
    }

    /// For any version; the callers handle the differences.
    init(_ message: WireShopEdited, _ event: some StoredEvent & ~Escapable, _ schedule: ShopSchedule) throws(CodecError) {
        let location = Coordinate(latitude: message.latitude, longitude: message.longitude)
        let clear = ShopContact(name: message.name, phone: message.phone, address: message.address, location: location)
        self.init(
            shop: try event.id(.shop),
            contact: try HeldContact(clear: clear, sealed: message.sealedContact),
            images: try WireImages.images(message.images, of: event, besides: 1), schedule: schedule)
    }
}

extension ShopClosed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopClosed()
        message.redeemUntil = redeemUntil.microseconds
        message.erasesContact = erasesContact
        if let reason { message.sealedReason = try WireBytes.data(reason, "reason") }
        return try EventDraft(.shopClosed, [Tag(.shop, shop.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WireShopClosed.self)
        self.init(
            shop: try event.id(.shop),
            redeemUntil: Instant(microseconds: message.redeemUntil),
            erasesContact: message.erasesContact,
            reason: message.sealedReason.isEmpty ? nil : try WireBytes.sealed(message.sealedReason, "reason"))
    }
}

extension HeldContact {
    /// Contact data is unsealed or sealed, never both.
    fileprivate init(clear: ShopContact, sealed: Data) throws(CodecError) {
        guard !sealed.isEmpty else {
            _ = try clear.location.checked()
            self = .clear(clear)
            return
        }
        let nothing = ShopContact(name: "", phone: "", address: "", location: Coordinate(latitude: 0, longitude: 0))
        guard clear == nothing else { throw CodecError(.fieldOutOfRange, "contact data is there twice") }
        self = .sealed(Sealed(Array(sealed)))
    }

    fileprivate func sealedField() throws(CodecError) -> Data {
        switch self {
        case .clear: Data()
        case .sealed(let sealed): try WireBytes.data(sealed, "contact")
        case .erased: throw CodecError(.fieldOutOfRange, "erased contact data is in no event")
        }
    }
}

extension Coordinate {
    func checked() throws(CodecError) -> Coordinate {
        guard isOnEarth else { throw CodecError(.fieldOutOfRange, "location is \(latitude), \(longitude)") }
        return self
    }
}
