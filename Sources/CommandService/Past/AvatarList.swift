import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels
import Synchronization

/// The pictures that people show of themselves, found by reading the log once and kept in memory: about 100 bytes each.
///
/// Their ids are sealed, so that no tag tells who shows one. Any task may ask; it blocks while it reads what came since the last time.
final class AvatarList: Sendable {
    private struct State {
        /// Everything up to here was looked through.
        var through = Position.start
        var ofAccount: [AccountID: ImageID] = [:]
        /// Who shows a picture, and the position of the edit that said so.
        var shown: [ImageID: [AccountID: UInt64]] = [:]

        mutating func set(_ avatar: ImageID?, of account: AccountID, at position: UInt64) {
            if let before = ofAccount[account] {
                shown[before]?[account] = nil
                if shown[before]?.isEmpty == true { shown[before] = nil }
            }
            ofAccount[account] = avatar
            if let avatar { shown[avatar, default: [:]][account] = position }
        }
    }

    private let state = Mutex(State())
    private let wanted = TypeFilter([.profileEdited, .accountErased])

    /// Who shows a picture of themselves, with the position of the edit that said so.
    ///
    /// - Parameter open: the picture of a sealed field; nil where the account's key is gone.
    /// - Throws: what reading the log, or `open`, throws.
    func accounts(
        showing image: ImageID, in log: EventLog, open: (Sealed, AccountID) throws -> ImageID?
    ) throws -> [AccountID: UInt64] {
        try state.withLock { state in
            try catchUp(&state, with: log, open)
            return state.shown[image] ?? [:]
        }
    }

    private func catchUp(_ state: inout State, with log: EventLog, _ open: (Sealed, AccountID) throws -> ImageID?) throws {
        let head = log.head
        guard state.through < head else { return }
        var changes: [(account: AccountID, avatar: ImageID?, position: UInt64)] = []
        try log.scan(after: state.through, through: head) { position, record in
            guard wanted.contains(record.type) else { return true }
            switch try LoyaltyCodec.decode(record, at: position).event {
            case .profileEdited(let event):
                switch event.change.avatar {
                case .unchanged: break
                case .cleared: changes.append((event.account, nil, position.rawValue))
                case .set(let sealed): changes.append((event.account, try open(sealed, event.account), position.rawValue))
                }
            case .accountErased(let event): changes.append((event.account, nil, position.rawValue))
            default: break
            }
            return true
        }
        // Only now: a read that failed half way begins again where this one did.
        for change in changes { state.set(change.avatar, of: change.account, at: change.position) }
        state.through = head
    }
}
