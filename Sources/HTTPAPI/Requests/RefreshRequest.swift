/// `POST /sessions/refresh`
struct RefreshRequest: Decodable {
    let refreshToken: String
}
