import EventLog
import Testing

// example begins
/// Invoices are numbered from 1 without a gap.
enum Invoices {
    static let created = EventType(1)
    static let number = TagKind(1)
    static let schema = Schema(types: [created: "InvoiceCreated"], tagKinds: [number: "invoice number"])

    /// Reads only the last invoice. The condition of the append covers all invoices.
    static func create(_ text: String, at now: Timestamp, with writer: LogWriter) async throws -> UInt128 {
        var next: UInt128 = 0
        try await writer.decide(on: .types(created), newest: 1) { known in
            next = (known.last?.tags.first?.value ?? 0) + 1
            return [NewEvent(type: created, time: now, tags: [Tag(number, next)], payload: Array(text.utf8))]
        }
        return next
    }
}
// example ends

/// Tests the third example of the documentation page `DCBExamples`.
@Suite(.timeLimit(.minutes(15))) struct InvoiceNumbers {
    @Test("The example is the one that the page shows") func page() throws { try expectShown("DCBExamples", block: 2) }

    @Test("Invoices that are created at once get numbers without a gap") func race() async throws {
        try await temporary(Invoices.schema) { log, writer in
            let numbers = try await withThrowingTaskGroup(of: UInt128.self) { group in
                for _ in 0..<25 { group.addTask { try await Invoices.create("tea", at: Timestamp(microseconds: 1), with: writer) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.sorted() == Array(1...25))
            #expect(try log.lastPosition(of: Tag(Invoices.number, 25)) == log.head)
        }
    }
}
