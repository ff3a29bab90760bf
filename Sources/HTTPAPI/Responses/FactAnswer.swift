import Loyalty
import LoyaltyCodec

/// An event as the log has it, for operators: sealed fields as sealed bytes, codes and phones as keyed hashes.
struct FactAnswer: JSONWritable {
    let fact: Fact

    func write(to json: inout JSONWriter) {
        json.value(written: FactText.json(fact))
    }
}
