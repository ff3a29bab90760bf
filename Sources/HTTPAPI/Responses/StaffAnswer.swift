import Loyalty
import LoyaltyCodec

/// Who works at a shop, for those who do.
struct StaffAnswer: JSONWritable {
    let shop: Shop

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("owner", shop.owner)
            $0.array("staff", shop.staff.sorted()) { $0.value($1.text) }
        }
    }
}
