import Testing

/// A use case of the service, written as the requests that carry it out.
struct UseCase: Sendable, CustomTestStringConvertible {
    /// The name of the transcript, which is `Fixtures/http/NAME.txt`.
    let name: String
    let title: String
    /// The operations that the use case requires, by their names in the API description.
    let needs: [String]
    let play: @Sendable (Director) async throws -> Void

    init(_ name: String, _ title: String, needs: [String] = [], _ play: @escaping @Sendable (Director) async throws -> Void) {
        (self.name, self.title, self.needs, self.play) = (name, title, needs, play)
    }

    var isBuilt: Bool { needs.allSatisfy { !NotBuilt.operations.contains($0) } }

    var testDescription: String { name }

    /// All use cases, in the order of the table of Sources/greentea/Manual.docc/API.md.
    static let all = account + discovery + collecting + keepingShop + corrections + merchants + terms + branches + people + operating
}
