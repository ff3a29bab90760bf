import EventLog
import Loyalty
import Testing

@testable import LoyaltyCodec

/// Follows the steps of `Sources/LoyaltyCodec/CHANGING.md` for two invented older versions. One version lacks a field. The other version
/// stored events of two of today's types as events of one type.
struct UpcastingTests {
    /// An invented version 0 in which cards had no reward field and every reward was a drink.
    private static let openedV0 = Upcaster(.cardOpened, 0, "Cards had no reward; it was a drink.") { event throws(CodecError) in
        let opened = try CardOpened(current: event)
        guard opened.reward == "" else { throw CodecError(.damagedPayload, "CardOpened of version 0 has a reward") }
        return .cardOpened(
            CardOpened(
                card: opened.card, campaign: opened.campaign, shop: opened.shop, holder: opened.holder, goal: opened.goal,
                reward: "a drink"))
    }

    /// An invented version 0 in which an adjustment by minus fifty stamps discarded the card.
    private static let adjustedV0 = Upcaster(.cardAdjusted, 0, "Fifty stamps off were a card thrown away.") { event throws(CodecError) in
        let adjusted = try CardAdjusted(current: event)
        guard adjusted.stamps == -50 else { return .cardAdjusted(adjusted) }
        return .cardDiscarded(
            CardDiscarded(card: adjusted.card, campaign: adjusted.campaign, shop: adjusted.shop, holder: adjusted.holder))
    }

    private static let upcasters = Upcasters.all + [openedV0, adjustedV0]

    private func stored(_ event: LoyaltyEvent, version: UInt16, payload: [UInt8]? = nil) throws -> NewEvent {
        var new = try LoyaltyCodec.encode(event, by: Sample.actor, at: Sample.time, mark: nil)
        new.schemaVersion = version
        if let payload { new.payload = payload }
        return new
    }

    /// Decodes a stored event with the invented upcasters; nil if it is rejected.
    private func today(_ event: NewEvent) -> LoyaltyEvent? { try? LoyaltyEvent(stored: event, upcasters: Self.upcasters) }

    private func refusal(_ event: NewEvent) -> CodecError? {
        do throws(CodecError) {
            _ = try LoyaltyEvent(stored: event)
            return nil
        } catch { return error }
    }

    private let opened = CardOpened(card: .init(5), campaign: .init(3), shop: .init(2), holder: .init(1), goal: 9, reward: "any tea")

    @Test("An upcaster fills in a field that its version lacked, and leaves current events as they are")
    func anAddedFieldIsFilledIn() throws {
        let old = try stored(.cardOpened(opened), version: 0, payload: [8, 9])
        let drink = CardOpened(
            card: opened.card, campaign: opened.campaign, shop: opened.shop, holder: opened.holder, goal: 9, reward: "a drink")
        #expect(today(old) == .cardOpened(drink))
        // The upcaster does not change events of the current version.
        let new = try stored(.cardOpened(opened), version: 1)
        #expect(today(new) == .cardOpened(opened))
    }

    @Test("An event of an old version with a field that it did not have is refused")
    func oldFields() throws {
        let old = try stored(.cardOpened(opened), version: 0)
        #expect(today(old) == nil)
    }

    @Test("A version without an upcaster is refused with an error that names the type")
    func noUpcaster() throws {
        let old = try stored(.cardOpened(opened), version: 0, payload: [8, 9])
        let error = refusal(old)
        #expect(error?.code == .unknownVersion && error?.detail.contains("CardOpened") == true)
    }

    @Test("An event of a type that was split becomes one of the two types of today")
    func aSplitEventBecomesTheOneOrTheOther() throws {
        func adjusted(_ stamps: Int) -> CardAdjusted {
            CardAdjusted(card: .init(5), campaign: .init(3), shop: .init(2), holder: .init(1), stamps: stamps, reason: "")
        }
        let kept = try stored(.cardAdjusted(adjusted(-49)), version: 0)
        #expect(today(kept) == .cardAdjusted(adjusted(-49)))
        let gone = try stored(.cardAdjusted(adjusted(-50)), version: 0)
        let discarded = CardDiscarded(card: .init(5), campaign: .init(3), shop: .init(2), holder: .init(1))
        #expect(today(gone) == .cardDiscarded(discarded))
        let new = try stored(.cardAdjusted(adjusted(-50)), version: 1)
        #expect(today(new) == .cardAdjusted(adjusted(-50)))
    }

    @Test("Every version that was ever written has exactly one reader, and each reader says in a sentence what its version lacked")
    func everyVersionEverHasOneReader() {
        for type in WireType.allCases {
            var versions: [UInt16] = []
            for upcaster in Upcasters.all where upcaster.type == type { versions.append(upcaster.version) }
            let last = WireType.retired.contains(type) ? type.currentVersion : type.currentVersion - 1
            let expected: [UInt16] = last == 0 ? [] : Array(1...last)
            #expect(versions.sorted() == expected)
        }
        for upcaster in Upcasters.all { #expect(upcaster.about.hasSuffix("."), "\(upcaster.name)") }
    }
}
