import Hummingbird

/// The client's own name for one write (draft-ietf-httpapi-idempotency-key-header), 1 to 255 visible ASCII characters.
struct IdempotencyKey: Hashable, Sendable {
    let text: String

    /// The key that came with the request, if any.
    init?(optionalIn request: Request) throws {
        guard let text = request.headers.text(of: .idempotencyKey) else { return nil }
        guard Limits.idempotencyKeyCharacters.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem.invalid("", "the Idempotency-Key header must be 1 to 255 visible ASCII characters")
        }
        self.text = text
    }

    /// The key that must come with the request.
    init(requiredIn request: Request) throws {
        guard let key = try IdempotencyKey(optionalIn: request) else { throw Problem(.idempotencyKeyRequired) }
        self = key
    }
}
