internal import EventLog
internal import Loyalty

extension ShopOpened {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopOpened()
        message.name = name
        message.phone = phone
        message.address = address
        message.latitude = try location.checked().latitude
        message.longitude = location.longitude
        message.images = try WireImages.data(images)
        return try EventDraft(
            .shopOpened, [Tag(.account, owner.value), Tag(.shop, shop.value)] + WireImages.tags(images), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireShopOpened.self), event)
    }

    /// What every version has said.
    init(_ message: WireShopOpened, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        self.init(
            shop: try event.id(.shop),
            owner: try event.id(.account),
            name: message.name,
            phone: message.phone,
            address: message.address,
            location: try Coordinate(latitude: message.latitude, longitude: message.longitude).checked(),
            images: try WireImages.images(message.images, of: event, besides: 2))
    }
}

extension ShopEdited {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopEdited()
        message.name = name
        message.phone = phone
        message.address = address
        message.latitude = try location.checked().latitude
        message.longitude = location.longitude
        message.images = try WireImages.data(images)
        return try EventDraft(.shopEdited, [Tag(.shop, shop.value)] + WireImages.tags(images), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let message = try event.message(WireShopEdited.self)
        self.init(
            shop: try event.id(.shop),
            name: message.name,
            phone: message.phone,
            address: message.address,
            location: try Coordinate(latitude: message.latitude, longitude: message.longitude).checked(),
            images: try WireImages.images(message.images, of: event, besides: 1))
    }
}

extension Coordinate {
    fileprivate func checked() throws(CodecError) -> Coordinate {
        guard isOnEarth else { throw CodecError(.fieldOutOfRange, "location is \(latitude), \(longitude)") }
        return self
    }
}
