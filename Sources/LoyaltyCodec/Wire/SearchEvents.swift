public import Loyalty
internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension SearchedThrough {
    var name: String { "\(position)" }

    func wireField() throws(CodecError) -> UInt64 {
        guard position > 0 else { throw CodecError(.fieldOutOfRange, "through is 0") }
        return position
    }

    init(wireField: UInt64) throws(CodecError) {
        guard wireField > 0 else { throw CodecError(.fieldOutOfRange, "through is 0") }
        self.init(wireField)
    }
}

extension FoundCampaigns {
    private static let counts = 1...20

    var name: String { ids.map(\.text).joined(separator: ",") }

    func wireField() throws(CodecError) -> [Data] {
        guard Self.counts.contains(ids.count), Set(ids).count == ids.count else {
            throw CodecError(.fieldOutOfRange, "\(ids.count) campaigns, not 1 to \(Self.counts.upperBound) different ones")
        }
        return ids.map { WireBytes.data(id: $0.value) }
    }

    init(wireField: [Data]) throws(CodecError) {
        var ids: [CampaignID] = []
        for data in wireField { ids.append(CampaignID(try WireBytes.secret(data, "a campaign").value)) }
        self.init(ids)
        _ = try self.wireField()
    }
}

extension Sealing {
    /// Throws `fieldOutOfRange` for a place that is not on Earth.
    public static func seal(_ terms: SearchTerms, of account: AccountID, under key: DataKey, nonce: [UInt8]) throws(CodecError) -> Sealed {
        var message = WireSearchTerms()
        message.name = terms.name ?? ""
        message.text = terms.text ?? ""
        if let near = terms.near, let radius = terms.radius {
            message.latitude = try near.checked().latitude
            message.longitude = near.longitude
            message.radius = radius
        }
        message.kind = terms.kind?.rawValue ?? ""
        message.minRating = UInt32(clamping: terms.minRating ?? 0)
        message.isOpen = terms.isOpen
        let bytes: [UInt8]
        do { bytes = try message.serializedBytes() } catch {
            throw CodecError(.damagedPayload, "a search does not encode: \(error)")
        }
        return try seal(bytes, field: .searchTerms, of: account, under: key, nonce: nonce)
    }

    /// Nil if key or account is wrong, or any bit was changed.
    public static func open(terms sealed: Sealed, of account: AccountID, under key: DataKey) -> SearchTerms? {
        guard let bytes = openBytes(sealed, field: .searchTerms, of: account, under: key),
            let message = try? WireSearchTerms(serializedBytes: bytes)
        else { return nil }
        let place = Coordinate(latitude: message.latitude, longitude: message.longitude)
        let hasPlace = message.radius > 0 && place.isOnEarth
        return SearchTerms(
            name: message.name.isEmpty ? nil : message.name, text: message.text.isEmpty ? nil : message.text,
            near: hasPlace ? place : nil, radius: hasPlace ? message.radius : nil,
            kind: CampaignKind(rawValue: message.kind), minRating: message.minRating > 0 ? Int(message.minRating) : nil,
            isOpen: message.isOpen)
    }
}
