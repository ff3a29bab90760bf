/// `POST /shops`
struct ShopRequest: JSONReadable {
    let name: String
    let phone: String
    let address: String
    let location: CoordinateRequest
    let images: [String]?

    init(_ fields: inout FieldReader) {
        name = fields.string("name")
        phone = fields.string("phone")
        address = fields.string("address")
        location = fields.object("location")
        images = fields.optionalStrings("images")
    }
}
