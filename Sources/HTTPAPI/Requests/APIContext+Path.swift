import Hummingbird
import Loyalty
import LoyaltyCodec

extension APIContext {
    /// The id in the request's path. One that is malformed or of another kind names nothing.
    ///
    /// - Throws: `notFound`.
    func id<Noun: Identified>(_ noun: Noun.Type = Noun.self) throws(Problem) -> ID<Noun> {
        guard let text = parameters.get("id"), let id = ID<Noun>(text: text) else { throw Problem(.notFound) }
        return id
    }
}
