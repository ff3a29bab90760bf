/// `POST /sessions`: with the code that was sent to the phone, or with a password.
struct SessionRequest: Decodable {
    let phone: String
    let code: String?
    let password: String?
}
