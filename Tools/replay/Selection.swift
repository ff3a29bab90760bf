import ArgumentParser
import Audit
import EventLog
import LoyaltyCodec

/// Which events are asked for, read from the options.
struct Selection {
    let listing: EventListing

    /// - Throws: `ValidationError`, which names what is known.
    init(until: String?, tag: String?, type: String?) throws {
        listing = EventListing(
            type: try type.map(Self.eventType), tag: try tag.map(Self.tag), until: try until.map(Self.bound) ?? .head)
    }

    private static func eventType(_ name: String) throws -> EventType {
        let types = LoyaltySchema.schema.types
        if let found = types.first(where: { $0.value == name }) { return found.key }
        let known = types.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
        throw ValidationError("There is no event type '\(name)'. Known: \(known).")
    }

    private static func tag(_ text: String) throws -> Tag {
        if let tag = Tag(text: text) { return tag }
        let kinds = LoyaltySchema.schema.tagKinds.sorted { $0.key < $1.key }.map(\.value.name)
        let kind = text.prefix { $0 != ":" }
        guard kinds.contains(String(kind)) else {
            throw ValidationError("There is no tag kind '\(kind)'. Known: \(kinds.joined(separator: ", ")).")
        }
        throw ValidationError("'\(text)' is no \(kind) tag: write \(kind): and the id as the API shows it, or 32 hexadecimal digits.")
    }

    private static func bound(_ text: String) throws -> ReplayBound {
        if let bound = ReplayBound(text: text) { return bound }
        throw ValidationError("'\(text)' is neither a position (1000) nor a time (2026-11-21T09:00:00Z).")
    }
}
