import Loyalty
import LoyaltyCodec

/// Events of saved searches.
extension Sample {
    private static let mark = RequestMark(request: secret(0x12).value, digest: secret(0x13).value)
    private static let later = Instant(microseconds: time.microseconds + 300_000_000)
    private static let sealed = Sealed([1] + (0..<40).map { UInt8($0) &* 7 })

    static let searches: [Sample] = [
        Sample("SearchSaved.v1", .searchSaved(.init(search: id(37), account: id(1), terms: sealed, alerts: true)), mark: mark),
        Sample("SearchSaved.v1.quiet", .searchSaved(.init(search: id(37), account: id(1), terms: sealed, alerts: false))),
        Sample("SearchEdited.v1", .searchEdited(.init(search: id(37), account: id(1), terms: sealed, alerts: true)), mark: mark),
        Sample("SearchRemoved.v1", .searchRemoved(.init(search: id(37), account: id(1))), mark: mark),
        Sample("SearchSeen.v1", .searchSeen(.init(search: id(37), account: id(1))), mark: mark),
        Sample(
            "SearchAlerted.v1",
            .searchAlerted(
                .init(
                    search: id(37), account: id(1), notice: id(17), dueAt: later, through: SearchedThrough(99),
                    campaigns: FoundCampaigns([id(4), id(3)]), hasMore: false))),
        Sample(
            "SearchAlerted.v1.more",
            .searchAlerted(
                .init(
                    search: id(37), account: id(1), notice: id(17), dueAt: later, through: SearchedThrough(99),
                    campaigns: FoundCampaigns([id(3)]), hasMore: true))),
    ]
}
