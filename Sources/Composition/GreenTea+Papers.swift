public import CommandService
public import Loyalty
public import LoyaltyCodec

/// Paper cards, which a shop prints, the shop's staff stamp at the counter, and a customer adds to an account.
extension GreenTea {
    /// Prints paper cards of a campaign. The log does not contain their codes: they are derived from the print's id, see
    /// `paperCode(_:of:)`.
    ///
    /// - Parameter command: the result of ``printing(_:of:at:)``. Preparing and submitting are two calls because of the fault of Swift that
    ///   ``giveStamps(_:by:)`` describes.
    public func printPapers(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    /// Prepares a command that prints paper cards. The closure takes the number of the attempt and returns the command; each attempt
    /// derives other codes.
    ///
    /// - Parameter count: the number of cards, 1 to 500.
    public func printing(_ count: Int, of campaign: CampaignID, at shop: ShopID) -> (Int) -> Command {
        let id: PrintID = newID()
        return { [keys] attempt in
            let secret = keys.secret(ofPrintCode: keys.printCode(for: id, attempt: attempt))
            return .printPapers(
                PrintPapers(print: id, shop: shop, campaign: campaign, secret: secret, attempt: attempt, count: count))
        }
    }

    /// The code of one paper card of a print.
    public func paperCode(_ number: Int, of printed: PaperCardsPrinted) -> PaperCode {
        keys.paperCode(number, of: keys.printCode(for: printed.print, attempt: printed.attempt))
    }

    /// The paper card that has a code; `nil` for a code that was never printed.
    public func paper(with code: PaperCode) throws(ServiceError) -> PaperName? {
        guard let (secret, number) = keys.paper(in: code), let print = try reading({ try $0.print(secret: secret) }) else { return nil }
        return number < print.count ? PaperName(print: print.id, number: number) : nil
    }

    /// Stamps a customer's card or a paper card at the counter; see ``GiveStamps`` and ``StampPaper``.
    ///
    /// - Parameter command: the result of ``giving(_:at:to:)`` or ``stamping(_:of:shop:onto:)``. The parts of the command are not
    ///   parameters of this method because of a fault of Swift 6.3.1: with that many 128-bit values, the task jumps to address 0 when it
    ///   awaits the writer.
    public func giveStamps(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    /// Prepares a command that stamps a paper card. The closure takes the number of the attempt and returns the command; each attempt
    /// derives another code.
    ///
    /// - Parameter shop: the shop that stamps the card. An actor who works at several of the campaign's shops must name one.
    public func stamping(
        _ stamps: Int, of campaign: CampaignID, shop: NamedShop? = nil, onto paper: PaperName
    ) -> (Int) -> Command {
        let (id, firstCard): (CodeID, CardID) = (newID(), newID())
        return { [keys] attempt in
            let secret = keys.secret(ofStampCode: keys.stampCode(for: id, attempt: attempt))
            let issue = IssueCode(
                code: id, campaign: campaign, secret: secret, attempt: attempt, stamps: stamps, validFor: 1, shop: shop?.id)
            return .stampPaper(StampPaper(issue: issue, paper: paper, firstCard: firstCard))
        }
    }

    /// Adds a paper card to the caller's account; see ``TakePaper``.
    public func takePaper(_ paper: PaperName, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.takePaper(TakePaper(paper: paper, firstCard: newID())), by: caller)
    }
}
