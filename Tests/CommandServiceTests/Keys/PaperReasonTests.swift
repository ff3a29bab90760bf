import EventLog
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService
@testable import Composition

/// The key that seals the reason for a reversal: the shop's key as long as the stamps are on a paper card that nobody has taken, and the
/// holder's key once an account has taken the card.
@Suite(.timeLimit(.minutes(15))) struct PaperReasonTests {
    private struct Waiting {
        let shop: TeaShop
        let guest: Caller
        let paper: PaperName
        /// The position of the event that stamped the paper card.
        let stamp: Position
    }

    private func waiting(on service: GreenTea, number: Int = 1) async throws -> Waiting {
        let shop = try await TeaShop.open(on: service, number: number)
        let guest = try await customer(number, on: service)
        let printed = try await service.printPapers(service.printing(1, of: shop.campaign, at: shop.shop), by: shop.owner)
        guard case .paperCardsPrinted(let print) = printed.facts.first?.event else { throw TestFailure("no print") }
        let paper = PaperName(print: print.print, number: 0)
        let stamped = try await service.giveStamps(service.stamping(1, of: shop.campaign, onto: paper), by: shop.owner)
        return Waiting(shop: shop, guest: guest, paper: paper, stamp: stamped.position)
    }

    private func reason(of acceptance: Acceptance) throws -> (text: TypedText, isOnCard: Bool) {
        switch acceptance.facts.first?.event {
        case .stampReversed(let event): (event.reason, true)
        case .paperStampReversed(let event): (event.reason, false)
        default: throw TestFailure("\(acceptance.facts)")
        }
    }

    @Test("A reason is sealed again if the paper card is taken meanwhile, and is unreadable after the new holder's erasure")
    func takenMeanwhile() async throws {
        let site = try Site()
        let service = site.service
        let here = try await waiting(on: service)
        var sealings = 0
        let reversed = try await service.reverseStamp(at: here.stamp, reason: "Spilled it", by: here.shop.owner) {
            sealings += 1
            if sealings == 1 { _ = try? await service.takePaper(here.paper, by: here.guest) }
        }
        #expect(sealings == 2)
        let (reason, isOnCard) = try reason(of: reversed)
        #expect(isOnCard)
        #expect(try service.open(reason, about: here.guest.account) == "Spilled it")
        #expect((try? service.open(reason, about: here.shop.shop.keyHolder)) ?? nil == nil, "the shop's key must not open the reason")
        _ = try await service.eraseAccount(by: here.guest)
        #expect(try service.open(reason, about: here.guest.account) == nil, "the reason is unreadable after its holder was erased")
    }

    @Test("A reason about stamps on a paper card that nobody has taken is sealed once, under the shop's key")
    func waits() async throws {
        let site = try Site()
        let here = try await waiting(on: site.service)
        var sealings = 0
        let reversed = try await site.service.reverseStamp(at: here.stamp, reason: "Spilled it", by: here.shop.owner) { sealings += 1 }
        let (reason, isOnCard) = try reason(of: reversed)
        #expect(sealings == 1 && !isOnCard)
        #expect(try site.service.open(reason, about: here.shop.shop.keyHolder) == "Spilled it")
    }

    @Test("Whether the paper card is taken first or its stamp is reversed first, the reason is sealed under the right key")
    func race() async throws {
        let site = try Site()
        let service = site.service
        for number in 1...24 {
            let here = try await waiting(on: service, number: number)
            async let taken = try? service.takePaper(here.paper, by: here.guest)
            let reversed = try await service.reverseStamp(at: here.stamp, reason: "Spilled it", by: here.shop.owner)
            _ = await taken
            let (reason, isOnCard) = try reason(of: reversed)
            #expect(try service.open(reason, about: isOnCard ? here.guest.account : here.shop.shop.keyHolder) == "Spilled it")
        }
    }
}
