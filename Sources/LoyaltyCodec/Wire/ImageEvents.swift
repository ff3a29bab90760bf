internal import EventLog
internal import Loyalty

extension ImageTakenDown {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireImageTakenDown()
        message.byOperator = byOperator
        return try EventDraft(.imageTakenDown, [Tag(.image, image.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WireImageTakenDown.self)
        self.init(image: try event.id(.image), byOperator: message.byOperator)
    }
}
