import Loyalty
import LoyaltyCodec
import ReadModels

/// A shop's page.
struct ShopAnswer: JSONWritable {
    let shop: Shop
    /// `nil` where the answer must be the same for ever, as the one to an edit.
    let rating: Rating?
    let campaigns: [CampaignAnswer]
    /// From the place that was asked about, where one was.
    var distanceMillimeters: Int?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            $0.field("phone", shop.phone)
            $0.field("address", shop.address)
            if let place = shop.location { $0.field("location", CoordinateAnswer(coordinate: place)) } else { $0.null("location") }
            if let distanceMillimeters { $0.field("distance", Double(distanceMillimeters) / 1_000) }
            $0.array("images", shop.images) { $0.value($1.text) }
            $0.field("suspended", shop.isSuspended)
            if let closing = shop.closing {
                $0.field("closedAt", closing.closedAt)
                $0.field("redeemUntil", closing.redeemUntil)
            }
            if let rating { $0.field("rating", RatingAnswer(rating: rating)) }
            $0.array("campaigns", campaigns)
        }
    }
}
