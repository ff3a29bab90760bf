internal import EventLog
internal import Loyalty

/// One retired version of one event type: how it was stored, and how it is said today. It stays for ever.
///
/// A retired version is a file of its own here, named `TYPEvN.swift`, and a line in ``Upcasters``. It reads what that version could
/// say, refuses what it could not, and fills in what it did not know, so that nothing above the codec ever hears of versions.
/// `Sources/LoyaltyCodec/CHANGING.md` goes through it step by step.
protocol Upcaster: SendableMetatype {
    /// The type whose version was retired.
    static var type: WireType { get }
    /// The version that it reads; lower than ``WireType/currentVersion``.
    static var version: UInt16 { get }
    /// In one sentence, what the version did not know and what stands for it now.
    static var about: String { get }

    /// Today's event.
    ///
    /// - Throws: `CodecError` for what an event of that version could not have said.
    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent
}
