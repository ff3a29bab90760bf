/// `POST /verifications`
struct VerificationRequest: Decodable {
    let phone: String
}
