import Loyalty
import LoyaltyCodec
import Testing

/// Printing a key in any way reveals nothing of its bytes.
struct ConfidentialTests {
    @Test("A printed or dumped key shows none of its bytes")
    func printedKeys() throws {
        let bytes = [UInt8](repeating: 171, count: 32)
        let (master, data) = (try MasterSecret(bytes: bytes), try DataKey(bytes: bytes))
        let keys = Keys(master)
        for value in [master, data, keys] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("171"))
                #expect(!text.contains("\(keys.tokenSigningSeed[0]), \(keys.tokenSigningSeed[1])"))
                #expect(text.contains("not shown"))
            }
        }
    }
}
