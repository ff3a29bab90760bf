/// One request, as it is said.
struct Ask: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    /// Under which name its times are kept: the path as the description has it.
    let route: String
    let path: String
    var token: String?
    var key: String?
    /// JSON.
    var body: String?
}
