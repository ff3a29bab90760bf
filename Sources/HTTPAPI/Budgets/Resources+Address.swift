import Hummingbird

extension Resources {
    /// The address that a request counts against; nil where it comes from this very machine, or nobody knows.
    func limitedAddress(of request: Request, _ context: APIContext) -> ClientAddress? {
        let address = ClientAddress(of: request, through: context.channel, trustedProxies: configuration.trustedProxies)
        return address?.isLoopback == false ? address : nil
    }
}
