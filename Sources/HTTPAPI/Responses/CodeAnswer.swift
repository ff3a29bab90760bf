import Loyalty
import LoyaltyCodec

/// A fresh one-time code on the screen of the one who asked for it: a stamp code or a redemption code.
struct CodeAnswer<Noun: Identified>: JSONWritable {
    let id: ID<Noun>
    let shown: ShownCode
    let expiresAt: Instant

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", id)
            shown.write(to: &$0)
            $0.field("expiresAt", expiresAt)
        }
    }
}
