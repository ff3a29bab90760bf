import CommandService
import Synchronization

/// The text messages with codes that are being sent. A concurrent request for the same code waits for the outcome: told that the code is on
/// its way, it would mislead if sending then failed. ``MessageCaps`` bound the entries. Any task may call.
final class CodeMessages: Sendable {
    /// Sent in a task of its own, so that other requests get the outcome even if the first client hangs up.
    private struct Message {
        let code: String
        let task: Task<Void, any Error>
    }

    /// The mutex is also held while a code is begun or taken back: a request finds the message of its code here, or comes after the
    /// outcome.
    private let underWay = Mutex<[E164Number: Message]>([:])
    private let verifications: Verifications
    private let caps: MessageCaps?

    init(of verifications: Verifications, caps: MessageCaps?) {
        (self.verifications, self.caps) = (verifications, caps)
    }

    /// Returns the number's code and the task that sends it; nil if no message is being sent now.
    ///
    /// - Parameter send: a failure uses up no allowance, and the next request sends again.
    /// - Throws: ``VerificationRefusal``.
    func begin(
        for phone: E164Number, from network: SignInNetwork, send: @escaping @Sendable (_ code: String) async throws -> Void
    ) throws -> (begun: Verifications.Begun, task: Task<Void, any Error>?) {
        try underWay.withLock { underWay in
            let begun = try verifications.begin(for: phone, from: network, caps: caps)
            if begun.isToBeSent {
                let task = Task<Void, any Error> { [self] in
                    do { try await send(begun.code) } catch {
                        end(begun, to: phone, isSent: false)
                        throw error
                    }
                    end(begun, to: phone, isSent: true)
                }
                underWay[phone] = Message(code: begun.code, task: task)
            }
            return (begun, underWay[phone]?.task)
        }
    }

    private func end(_ begun: Verifications.Begun, to phone: E164Number, isSent: Bool) {
        underWay.withLock { underWay in
            if underWay[phone]?.code == begun.code { underWay[phone] = nil }
            if !isSent { verifications.unsent(begun, to: phone, caps: caps) }
        }
    }
}
