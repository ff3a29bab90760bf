import Loyalty
import LoyaltyCodec

/// What somebody may do at a shop. Everybody who works there and does not own it has the same rights as yet.
enum ShopRole: String {
    case owner
    case counter
}

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

/// That an offer was made. It is the same whether or not anybody got it, and says nothing that the owner did not know.
struct OfferedAnswer: JSONWritable {
    let shop: ShopID

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("shop", shop)
            $0.field("role", ShopRole.counter.rawValue)
        }
    }
}

/// An open offer of a shop, for its owner. It does not say whose it is: an offer to a phone number must not give away an account.
struct OpenOfferAnswer: JSONWritable {
    let offer: StaffOffer

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", offer.invitation)
            $0.field("role", ShopRole.counter.rawValue)
            $0.field("expiresAt", offer.expiresAt)
        }
    }
}

/// An offer as the invited account sees it.
struct InvitationAnswer: JSONWritable {
    let invitation: Invitation
    let shop: Shop

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", invitation.id)
            $0.field("kind", "staff")
            $0.field("role", ShopRole.counter.rawValue)
            $0.object("shop") {
                $0.field("id", shop.id)
                $0.field("name", shop.name)
            }
            $0.field("invitedAt", invitation.invitedAt)
            $0.field("expiresAt", invitation.expiresAt)
        }
    }
}

/// A shop where an account acts, as that account sees it.
struct WorkplaceAnswer: JSONWritable {
    let shop: Shop
    let role: ShopRole

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            if let image = shop.images.first { $0.field("image", image) } else { $0.null("image") }
            $0.field("role", role.rawValue)
        }
    }
}
