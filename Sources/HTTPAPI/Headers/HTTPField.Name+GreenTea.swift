import HTTPTypes

extension HTTPField.Name {
    /// The position that a write reached.
    static let greenTeaPosition = Self("GreenTea-Position")!
    /// The least position that a read may answer from.
    static let greenTeaMinPosition = Self("GreenTea-Min-Position")!
    /// The client's own name for a write, by which it may be repeated safely.
    static let idempotencyKey = Self("Idempotency-Key")!
    /// The last event that a stream's reader has seen (HTML, "Server-sent events").
    static let lastEventID = Self("Last-Event-ID")!
    /// Whom a page's links are to tell where they were followed from.
    static let referrerPolicy = Self("Referrer-Policy")!
    /// The id under which the log knows this request.
    static let requestID = Self("X-Request-ID")!
}
