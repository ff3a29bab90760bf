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
        return try EventDraft(.shopOpened, [Tag(.account, owner.value), Tag(.shop, shop.value)], message)
    }

    init(v1 event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        let message = try event.message(WireShopOpened.self)
        self.init(
            shop: try event.id(.shop),
            owner: try event.id(.account),
            name: message.name,
            phone: message.phone,
            address: message.address,
            location: try Coordinate(latitude: message.latitude, longitude: message.longitude).checked())
    }
}

extension Coordinate {
    fileprivate func checked() throws(CodecError) -> Coordinate {
        guard isOnEarth else { throw CodecError(.fieldOutOfRange, "location is \(latitude), \(longitude)") }
        return self
    }
}
