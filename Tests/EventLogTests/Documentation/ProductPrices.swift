import EventLog
import Testing

// example begins
/// An order is accepted at the prices that its customer was shown: the present ones, and those that were replaced in the last ten minutes.
enum Orders {
    static let (defined, priceChanged, ordered) = (EventType(1), EventType(2), EventType(3))
    static let product = TagKind(1)
    static let schema = Schema(
        types: [defined: "ProductDefined", priceChanged: "ProductPriceChanged", ordered: "ProductsOrdered"], tagKinds: [product: "product"])
    static let graceMicroseconds: Int64 = 600_000_000

    struct PriceIsNotValid: Error { let product: String }

    static func setPrice(of id: String, to price: UInt8, at now: Timestamp, with writer: LogWriter) async throws {
        let tag = Tag(product, id)
        try await writer.decide(on: .tag(tag, types: defined, priceChanged), newest: 1) { known in
            [NewEvent(type: known.isEmpty ? defined : priceChanged, time: now, tags: [tag], payload: [price])]
        }
    }

    /// One decision over several products: the query has an item for each.
    static func order(_ prices: [String: UInt8], at now: Timestamp, with writer: LogWriter) async throws {
        let items = prices.keys.map { QueryItem(types: [defined, priceChanged], tags: [Tag(product, $0)]) }
        try await writer.decide(on: .items(items)) { known in
            for (id, shown) in prices {
                let ofProduct = known.filter { $0.tags.contains(Tag(product, id)) }
                let old = ofProduct.count { now.microseconds - $0.time.microseconds > graceMicroseconds }
                guard ofProduct.dropFirst(max(0, old - 1)).contains(where: { $0.payload == [shown] }) else {
                    throw PriceIsNotValid(product: id)
                }
            }
            return [NewEvent(type: ordered, time: now, tags: prices.keys.map { Tag(product, $0) })]
        }
    }
}
// example ends

/// Tests the fifth example of the documentation page `DCBExamples`.
@Suite(.timeLimit(.minutes(15))) struct ProductPrices {
    private func minute(_ number: Int64) -> Timestamp { Timestamp(microseconds: number * 60_000_000) }

    @Test("The example is the one that the page shows") func page() throws { try expectShown("DCBExamples", block: 4) }

    @Test("A replaced price is valid for ten minutes, and every product of an order is checked") func grace() async throws {
        try await temporary(Orders.schema) { log, writer in
            try await Orders.setPrice(of: "tea", to: 4, at: minute(0), with: writer)
            try await Orders.setPrice(of: "cup", to: 9, at: minute(0), with: writer)
            try await Orders.setPrice(of: "tea", to: 5, at: minute(30), with: writer)
            for (prices, at) in [(["tea": 4], 40), (["tea": 5, "cup": 9], 31), (["tea": 5], 99)] as [([String: UInt8], Int64)] {
                try await Orders.order(prices, at: minute(at), with: writer)
            }
            let refused: [[String: UInt8]] = [["tea": 4], ["tea": 5, "cup": 8], ["pot": 1], ["tea": 5, "pot": 1]]
            for prices in refused {
                await #expect(throws: Orders.PriceIsNotValid.self) { try await Orders.order(prices, at: minute(41), with: writer) }
            }
            #expect(log.head == Position(6))
        }
    }
}
