internal import EventLog
internal import GRDB
internal import LoyaltyCodec
internal import ReadModels

extension ReadModelError {
    /// The error of a layer below in this model's name, or one of the layer itself as it is.
    init(discovery error: any Error) {
        switch error {
        case let error as ReadModelError: self = error
        case let error as EventLogError: self.init(.log, model: Discovery.name, "\(error)")
        case let error as DatabaseError:
            let isDamaged = [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode)
            self.init(isDamaged ? .damaged : .storage, model: Discovery.name, "\(error)")
        default: self.init(.storage, model: Discovery.name, "\(error)")
        }
    }
}
