/// A fresh sign-in.
struct SessionAnswer: JSONWritable {
    let accessToken: String
    let refreshToken: String
    let account: AccountAnswer

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("accessToken", accessToken)
            $0.field("refreshToken", refreshToken)
            $0.field("expiresIn", Limits.accessTokenSeconds)
            $0.field("account", account)
        }
    }
}
