package import EventLog

/// A version of an event type that is written no more, and what reads it.
package struct RetiredVersion: Hashable, Sendable {
    package let type: EventType
    package let version: UInt16
    /// The name of its upcaster.
    package let upcaster: String
    /// What the version did not know, and what stands for it now.
    package let about: String
}
