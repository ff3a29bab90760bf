/// `POST /sessions/refresh`
struct RefreshRequest: JSONReadable {
    let refreshToken: String

    init(_ fields: inout FieldReader) {
        refreshToken = fields.string("refreshToken")
    }
}
