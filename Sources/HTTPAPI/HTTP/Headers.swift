import Crypto
import HTTPTypes
import Hummingbird
import Loyalty
import Merkle
import NIOCore

/// The headers `ETag` of an editable thing, `If-Match` of an edit and `If-None-Match` of a read (RFC 9110, 8.8.3, 13.1.1 and 13.1.2).
enum EntityTag {
    /// A version as the `ETag` of an answer to a write, such as `"42"`.
    static func text(_ version: UInt64) -> String { "\"\(version)\"" }

    /// A version and a digest of the answer that shows it, such as `"42-9f86d081884c7d65"`. An answer also shows what no edit changes, such
    /// as a rating, so the version alone does not tell whether a client has the same answer.
    static func text(_ version: UInt64, of answer: ByteBuffer) -> String {
        let digest = SHA256.hash(data: [UInt8](answer.readableBytesView)).prefix(8)
        return "\"\(version)-\(Hexadecimal.text(digest))\""
    }

    /// Whether the client has the answer with this tag. The comparison is weak.
    static func isKnown(_ tag: String, by request: Request) -> Bool {
        guard let known = request.headers[.ifNoneMatch] else { return false }
        return known == "*"
            || known.split(separator: ",").contains { each in
                let each = each.trimmingSpaces
                return each == tag || each == "W/" + tag
            }
    }

    /// The version that the sender of an edit has seen, or `unsaid`. The decision refuses a request without a version, but only after it
    /// has checked that the thing exists and belongs to the sender (RFC 9110, 13.2.1).
    static func expected(by request: Request) -> ExpectedVersion { optional(in: request) ?? .unsaid }

    /// The version that the sender of an edit has seen; nil if the request names none. A tag that we did not make matches no version.
    static func optional(in request: Request) -> ExpectedVersion? {
        guard let header = request.headers[.ifMatch] else { return nil }
        // Our tags contain no spaces, so all spaces can be removed.
        let tags = header.split(separator: ",").map { tag in String(tag.filter { $0 != " " && $0 != "\t" }) }
        if tags == ["*"] { return .any }
        return ExpectedVersion(
            oneOf: tags.compactMap { tag in
                guard tag.count > 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
                // The digest of an answer to a read says nothing about the version.
                return tag.dropFirst().dropLast().split(separator: "-", maxSplits: 1).first.flatMap { UInt64($0) }
            })
    }
}

extension HTTPField.Name {
    /// The header of an answer that names a position of the log: the position that a write reached, or the position as of which a read is
    /// answered.
    static let greenTeaPosition = Self("GreenTea-Position")!
    /// The header with which a read names the lowest position of the log that the answer must include.
    static let greenTeaMinPosition = Self("GreenTea-Min-Position")!
    /// The header with the client's own name for a write, which makes a retry safe.
    static let idempotencyKey = Self("Idempotency-Key")!
    /// The header that marks an answer which repeats the answer to an earlier request with the same idempotency key.
    static let idempotencyReplayed = Self("Idempotency-Replayed")!
    /// The header with the id of the last event that a stream's reader has received (HTML, "Server-sent events").
    static let lastEventID = Self("Last-Event-ID")!
    /// The header that limits which sites receive a page's address when the reader follows a link on the page.
    static let referrerPolicy = Self("Referrer-Policy")!
    /// The header with the id of this request. The service's log has the same id.
    static let requestID = Self("X-Request-ID")!
}

extension HTTPFields {
    /// The value of a header field, as Hummingbird's subscript gives it.
    ///
    /// The subscript joins the list of a field's values even if there is only one. This function is faster, and a request reads half a
    /// dozen headers.
    func text(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}
