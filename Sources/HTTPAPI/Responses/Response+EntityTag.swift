import HTTPTypes
import Hummingbird

extension Response {
    /// The same answer, with the version that an edit of what it shows has to name.
    func tagged(_ version: UInt64) -> Response {
        var response = self
        response.headers[.eTag] = EntityTag.text(version)
        return response
    }
}
