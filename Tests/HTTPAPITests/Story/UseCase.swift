import Testing

/// Something that people do with the service, told by the requests that do it.
struct UseCase: Sendable, CustomTestStringConvertible {
    /// Its transcript is `Fixtures/http/NAME.txt`.
    let name: String
    let title: String
    /// What it cannot do without, as the description names it.
    let needs: [String]
    let play: @Sendable (Director) async throws -> Void

    init(_ name: String, _ title: String, needs: [String] = [], _ play: @escaping @Sendable (Director) async throws -> Void) {
        (self.name, self.title, self.needs, self.play) = (name, title, needs, play)
    }

    var isBuilt: Bool { needs.allSatisfy { !NotBuilt.operations.contains($0) } }

    var testDescription: String { name }

    /// In the order of the README's table.
    static let all = account + discovery + collecting + keepingShop + operating
}
