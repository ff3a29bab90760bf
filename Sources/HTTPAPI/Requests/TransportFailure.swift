/// The connection broke, or spoke no HTTP, while a body was being read: there is nobody to answer.
struct TransportFailure: Error {
    let underlying: any Error
}
