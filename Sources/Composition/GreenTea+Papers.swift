public import CommandService
public import Loyalty
public import LoyaltyCodec

extension GreenTea {
    /// Prints paper cards; their codes are not in the log.
    ///
    /// - Parameter command: of ``printing(_:of:at:)``, because of the fault of Swift in ``giveStamps(_:by:)``.
    public func printPapers(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    /// Each attempt of the closure derives other codes. `count` is 1 to 500.
    public func printing(_ count: Int, of campaign: CampaignID, at shop: ShopID) -> (Int) -> Command {
        let id: PrintID = newID()
        return { [keys] attempt in
            let secret = keys.secret(ofPrintCode: keys.printCode(for: id, attempt: attempt))
            return .printPapers(PrintPapers(print: id, shop: shop, campaign: campaign, secret: secret, attempt: attempt, count: count))
        }
    }

    public func paperCode(_ number: Int, of printed: PaperCardsPrinted) -> PaperCode {
        keys.paperCode(number, of: keys.printCode(for: printed.print, attempt: printed.attempt))
    }

    /// `nil` for a code that was never printed.
    public func paper(with code: PaperCode) throws(ServiceError) -> PaperName? {
        guard let (secret, number) = keys.paper(in: code), let print = try reading({ try $0.print(secret: secret) }) else { return nil }
        return number < print.count ? PaperName(print: print.id, number: number) : nil
    }

    /// Stamps a customer's card or a paper card at the counter.
    ///
    /// - Parameter command: prepared before. With its parts as parameters, a fault of Swift 6.3.1 makes the task jump to address 0 when it
    ///   awaits the writer.
    public func giveStamps(_ command: (Int) -> Command, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(deriving: command, by: caller)
    }

    /// Each attempt of the closure derives another code.
    ///
    /// - Parameter shop: required if the actor works at several of the campaign's shops.
    public func stamping(_ stamps: Int, of campaign: CampaignID, shop: NamedShop? = nil, onto paper: PaperName) -> (Int) -> Command {
        let (id, firstCard): (CodeID, CardID) = (newID(), newID())
        return { [keys] attempt in
            let secret = keys.secret(ofStampCode: keys.stampCode(for: id, attempt: attempt))
            let issue = IssueCode(
                code: id, campaign: campaign, secret: secret, attempt: attempt, stamps: stamps, validFor: 1, shop: shop?.id)
            return .stampPaper(StampPaper(issue: issue, paper: paper, firstCard: firstCard))
        }
    }

    /// Adds a paper card to the caller's account.
    public func takePaper(_ paper: PaperName, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.takePaper(TakePaper(paper: paper, firstCard: newID())), by: caller)
    }
}
