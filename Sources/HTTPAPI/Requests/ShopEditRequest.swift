/// `PATCH /shops/{id}`: what is absent stays as it is.
struct ShopEditRequest: JSONReadable {
    let name: String?
    let phone: String?
    let address: String?
    let location: CoordinateRequest?
    let images: [String]?

    init(_ fields: inout FieldReader) {
        name = fields.editedString("name")
        phone = fields.editedString("phone")
        address = fields.editedString("address")
        location = fields.editedObject("location")
        images = fields.editedStrings("images")
    }
}
