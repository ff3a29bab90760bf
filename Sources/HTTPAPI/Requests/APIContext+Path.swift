import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

extension APIContext {
    /// The id in the request's path. One that is malformed or of another kind names nothing.
    ///
    /// - Parameter name: what the route calls it.
    /// - Throws: `notFound`.
    func id<Noun: Identified>(_ noun: Noun.Type = Noun.self, named name: String = "id") throws(Problem) -> ID<Noun> {
        guard let text = parameters.get(name), let id = ID<Noun>(text: text) else { throw Problem(.notFound) }
        return id
    }

    /// The position in the request's path, in its one spelling: ASCII digits without leading zeros.
    ///
    /// - Throws: `notFound`.
    func position() throws(Problem) -> Position {
        guard let text = parameters.get("position"), let number = UInt64(text), String(number) == text else {
            throw Problem(.notFound)
        }
        return Position(number)
    }
}
