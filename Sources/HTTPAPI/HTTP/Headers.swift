import Crypto
import HTTPTypes
import Hummingbird
import Loyalty
import Merkle
import NIOCore

/// `ETag`, `If-Match` and `If-None-Match` (RFC 9110, 8.8.3, 13.1.1 and 13.1.2).
enum EntityTag {
    /// For an answer to a write, such as `"42"`.
    static func text(_ version: UInt64) -> String { "\"\(version)\"" }

    /// Version and digest, such as `"42-9f86d081884c7d65"`. Answers also show what no edit changes, such as a rating, so the version alone
    /// does not identify an answer.
    static func text(_ version: UInt64, of answer: ByteBuffer) -> String {
        let digest = SHA256.hash(data: [UInt8](answer.readableBytesView)).prefix(8)
        return "\"\(version)-\(Hexadecimal.text(digest))\""
    }

    /// Compares weakly.
    static func isKnown(_ tag: String, by request: Request) -> Bool {
        guard let known = request.headers[.ifNoneMatch] else { return false }
        return known == "*"
            || known.split(separator: ",").contains { each in
                let each = each.trimmingSpaces
                return each == tag || each == "W/" + tag
            }
    }

    /// Without a version, `unsaid`: the decision refuses it only after checking that the thing exists and belongs to the sender (RFC 9110,
    /// 13.2.1).
    static func expected(by request: Request) -> ExpectedVersion { optional(in: request) ?? .unsaid }

    /// Nil if the request names none. A foreign tag matches no version.
    static func optional(in request: Request) -> ExpectedVersion? {
        guard let header = request.headers[.ifMatch] else { return nil }
        // Our tags contain no spaces.
        let tags = header.split(separator: ",").map { tag in String(tag.filter { $0 != " " && $0 != "\t" }) }
        if tags == ["*"] { return .any }
        return ExpectedVersion(
            oneOf: tags.compactMap { tag in
                guard tag.count > 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
                // The digest of a read says nothing about the version.
                return tag.dropFirst().dropLast().split(separator: "-", maxSplits: 1).first.flatMap { UInt64($0) }
            })
    }
}

extension HTTPField.Name {
    /// The position that a write reached, or as of which a read is answered.
    static let greenTeaPosition = Self("GreenTea-Position")!
    /// The position that the answer must at least include.
    static let greenTeaMinPosition = Self("GreenTea-Min-Position")!
    static let idempotencyKey = Self("Idempotency-Key")!
    /// Marks an answer that repeats that of an earlier request with the same key.
    static let idempotencyReplayed = Self("Idempotency-Replayed")!
    /// The last event of a stream's reader (HTML, "Server-sent events").
    static let lastEventID = Self("Last-Event-ID")!
    static let referrerPolicy = Self("Referrer-Policy")!
    /// The request's id, also in the service's log.
    static let requestID = Self("X-Request-ID")!
}

extension HTTPFields {
    /// Like Hummingbird's subscript, but faster, because it joins no list; a request reads half a dozen headers.
    func text(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}
