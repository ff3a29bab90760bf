internal import EventLog
internal import Loyalty

extension SessionStarted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionStarted()
        message.token = WireBytes.data(token)
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.sessionStarted, [Tag(.account, account.value), Tag(.session, session.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        let message = try event.message(WireSessionStarted.self)
        self.init(
            session: try event.id(.session),
            account: try event.id(.account),
            token: try WireBytes.secret(message.token, "token"),
            expiresAt: Instant(microseconds: message.expiresAt))
    }
}

extension SessionRefreshed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionRefreshed()
        message.token = WireBytes.data(token)
        message.expiresAt = expiresAt.microseconds
        return try EventDraft(.sessionRefreshed, [Tag(.account, account.value), Tag(.session, session.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        let message = try event.message(WireSessionRefreshed.self)
        self.init(
            session: try event.id(.session),
            account: try event.id(.account),
            token: try WireBytes.secret(message.token, "token"),
            expiresAt: Instant(microseconds: message.expiresAt))
    }
}

extension SessionEnded {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireSessionEnded()
        message.ending = ending.wire
        return try EventDraft(.sessionEnded, [Tag(.account, account.value), Tag(.session, session.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        let message = try event.message(WireSessionEnded.self)
        self.init(session: try event.id(.session), account: try event.id(.account), ending: try SessionEnding(wire: message.ending))
    }
}

extension SessionEnding {
    var wire: WireSessionEnded.Ending {
        switch self {
        case .signedOut: .signedOut
        case .tokenReused: .tokenReused
        }
    }

    init(wire: WireSessionEnded.Ending) throws(CodecError) {
        switch wire {
        case .signedOut: self = .signedOut
        case .tokenReused: self = .tokenReused
        case .unspecified, .UNRECOGNIZED: throw CodecError(.fieldOutOfRange, "ending is \(wire.rawValue), not 1 or 2")
        }
    }
}
