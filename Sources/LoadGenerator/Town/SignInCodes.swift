import Foundation

/// The sign-in codes that a server without `--dev` writes to a file, as `greentea serve --sms file:PATH` does.
struct SignInCodes: Sendable {
    private struct Message: Decodable {
        let to: String
        let text: String
    }

    private let path: String

    init(_ path: String) { self.path = path }

    /// Waits for the newest code that was sent to a phone.
    ///
    /// - Throws: `LoadError.noCode` where none has come within ``Limits/codeSecondsMax``, or what kept the file from being read.
    func code(for phone: String) async throws -> String {
        let end = ContinuousClock.now + .seconds(Limits.codeSecondsMax)
        repeat {
            if let code = try newest(for: phone) { return code }
            try await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now < end
        throw LoadError.noCode(phone: phone, file: path)
    }

    private func newest(for phone: String) throws -> String? {
        let lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
        let number = Data(phone.utf8)
        // The last line may be half written.
        for line in lines.reversed() where line.range(of: number) != nil {
            guard let message = try? JSONDecoder().decode(Message.self, from: line), message.to == phone else { continue }
            return message.text.firstMatch(of: /[0-9]{6}/).map { String($0.output) }
        }
        return nil
    }
}
