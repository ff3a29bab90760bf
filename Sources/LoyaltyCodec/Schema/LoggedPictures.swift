public import EventLog
public import Loyalty

extension ShownPictures {
    /// The types of the events that ``Loyalty/ShownPictures/apply(_:)`` reads.
    public static let types: Set<EventType> = [
        .shopOpened, .shopEdited, .shopClosed, .campaignPublished, .campaignEdited, .imageTakenDown,
    ]

    /// Reads a log from its first event to its head.
    public init(of log: EventLog) throws {
        self.init()
        try log.scan { position, record in
            if Self.types.contains(record.type) { apply(try LoyaltyCodec.decode(record, at: position)) }
            return true
        }
    }
}
