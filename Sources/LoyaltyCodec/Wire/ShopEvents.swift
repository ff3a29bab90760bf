internal import EventLog
internal import Loyalty

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ShopOpened: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        let message = try WireShopOpened(contact, images, schedule)
        return try EventDraft(.shopOpened, [Tag(.account, owner.value), Tag(.shop, shop.value)] + WireImages.tags(images), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let message = try event.message(WireShopOpened.self)
        try self.init(message, event, try message.schedule())
    }

    /// For any version; the callers handle the differences.
    init(_ message: WireShopOpened, _ event: some StoredEvent & ~Escapable, _ schedule: ShopSchedule) throws(CodecError) {
        self.init(
            shop: try event.id(.shop), owner: try event.id(.account), contact: try message.contact(),
            images: try WireImages.images(message.images, of: event, besides: 2), schedule: schedule)
    }
}

extension ShopEdited: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = try WireShopEdited(contact, images, schedule)
        message.color = UInt32(look.color?.rawValue ?? 0)
        if let logo = look.logo { message.logo = WireBytes.data(id: logo.value) }
        return try EventDraft(.shopEdited, [Tag(.shop, shop.value)] + WireImages.tags(pictures), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let message = try event.message(WireShopEdited.self)
        try self.init(message, event, try message.schedule())
    }

    /// For any version; the callers handle the differences.
    init(_ message: WireShopEdited, _ event: some StoredEvent & ~Escapable, _ schedule: ShopSchedule) throws(CodecError) {
        self.init(
            shop: try event.id(.shop), contact: try message.contact(),
            images: try WireImages.images(message.images, with: message.logo, of: event, besides: 1), schedule: schedule,
            look: try message.look())
    }
}

extension WireShopEdited {
    fileprivate func look() throws(CodecError) -> ShopLook {
        let known = UInt8(exactly: color).flatMap { ShopColor(rawValue: $0) }
        guard color == 0 || known != nil else { throw CodecError(.fieldOutOfRange, "color is \(color), not 0 to 12") }
        return ShopLook(color: known, logo: try WireBytes.id(logo, "logo").map { ImageID($0) })
    }
}

/// A shop's data in the payload of either event.
protocol ShopMessage {
    var name: String { get set }
    var phone: String { get set }
    var address: String { get set }
    var latitude: Double { get set }
    var longitude: Double { get set }
    var sealedContact: Data { get set }
    var images: [Data] { get set }
    var timeZone: String { get set }
    var saysOpeningHours: Bool { get set }
    var openingHours: [UInt32] { get set }

    init()
}

extension WireShopOpened: ShopMessage {}
extension WireShopEdited: ShopMessage {}

extension ShopMessage {
    fileprivate init(_ contact: HeldContact, _ images: [ImageID], _ schedule: ShopSchedule) throws(CodecError) {
        self.init()
        if case .clear(let contact) = contact {
            (name, phone, address) = (contact.name, contact.phone, contact.address)
            latitude = try contact.location.checked().latitude
            longitude = contact.location.longitude
        }
        sealedContact = try contact.sealedField()
        self.images = try WireImages.data(images)
        (timeZone, saysOpeningHours) = (schedule.timeZone, schedule.openingHours != nil)
        openingHours = try WireHours.numbers(schedule)
    }

    fileprivate func schedule() throws(CodecError) -> ShopSchedule {
        try WireHours.schedule(timeZone, isSaid: saysOpeningHours, openingHours)
    }

    /// - Throws: `damagedPayload` if the payload of a version without schedules has one.
    func noSchedule() throws(CodecError) -> ShopSchedule {
        guard timeZone.isEmpty, !saysOpeningHours, openingHours.isEmpty else {
            throw CodecError(.damagedPayload, "a shop has a schedule in a version without schedules")
        }
        return ShopSchedule()
    }

    /// Contact data is unsealed or sealed, never both.
    fileprivate func contact() throws(CodecError) -> HeldContact {
        let location = Coordinate(latitude: latitude, longitude: longitude)
        guard !sealedContact.isEmpty else {
            return .clear(ShopContact(name: name, phone: phone, address: address, location: try location.checked()))
        }
        guard name.isEmpty, phone.isEmpty, address.isEmpty, location == Coordinate(latitude: 0, longitude: 0) else {
            throw CodecError(.fieldOutOfRange, "contact data is there twice")
        }
        return .sealed(Sealed(Array(sealedContact)))
    }
}

extension ShopClosed: CodedEvent {
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
            shop: try event.id(.shop), redeemUntil: Instant(microseconds: message.redeemUntil), erasesContact: message.erasesContact,
            reason: message.sealedReason.isEmpty ? nil : try WireBytes.sealed(message.sealedReason, "reason"))
    }
}

extension HeldContact {
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
