public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Tells many people something. Title and text enter the log sealed under the author's own key.
    ///
    /// Whoever calls this for everybody MUST have made sure that the caller is an operator.
    public func postNotice(
        title: String, text: String, to audience: NoticeAudience, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        let command = PostNotice(
            notice: newID(), audience: audience, title: try seal(title, as: .noticeTitle, of: caller.account),
            text: try seal(text, as: .noticeText, of: caller.account))
        return try await submit(.postNotice(command), by: caller)
    }

    /// Notes that the caller has read a notice.
    ///
    /// Whoever calls this MUST have made sure that the notice is for the caller.
    public func readNotice(_ notice: NoticeID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.readNotice(ReadNotice(notice: notice)), by: caller)
    }
}
