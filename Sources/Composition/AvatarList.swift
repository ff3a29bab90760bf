import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

/// The pictures of people's profiles, read from the log once and kept in memory: about 200 bytes each.
///
/// Their ids are sealed, so no tag leads to their accounts. Any task may call; a call blocks while it reads new events.
final class AvatarList: Sendable {
    private struct Shown {
        let sealed: Sealed?
        /// The first edit with these sealed bytes. A newly chosen picture has another nonce.
        let position: UInt64
    }

    private struct State {
        var through = Position.start
        var ofAccount: [AccountID: (shown: Shown, image: ImageID?)] = [:]
        var shown: [ImageID: [AccountID: UInt64]] = [:]

        mutating func set(_ avatar: Shown, _ image: ImageID?, of account: AccountID) {
            if let before = ofAccount[account]?.image {
                shown[before]?[account] = nil
                if shown[before]?.isEmpty == true { shown[before] = nil }
            }
            ofAccount[account] = avatar.sealed == nil ? nil : (avatar, image)
            if let image { shown[image, default: [:]][account] = avatar.position }
        }
    }

    /// Events that are read under the lock, in some milliseconds.
    private static let pieceEventsMax: UInt64 = 4_096

    private let state = Mutex(State())
    private let wanted = TypeFilter([.profileEdited, .accountErased])

    /// The accounts that show a picture, with the position of the edit that named it.
    ///
    /// - Parameter open: nil if the account's key was destroyed.
    func accounts(showing image: ImageID, in log: EventLog, open: (Sealed, AccountID) throws -> ImageID?) throws -> [AccountID: UInt64] {
        try catchUp(with: log, unless: { false }, open)
        return state.withLock { $0.shown[image] ?? [:] }
    }

    /// - Throws: also `CancellationError`.
    func shown(in log: EventLog, unless isStopping: () -> Bool, open: (Sealed, AccountID) throws -> ImageID?) throws -> [ImageID: UInt64] {
        try catchUp(with: log, unless: isStopping, open)
        return state.withLock { $0.shown.mapValues { $0.values.max() ?? 0 } }
    }

    /// Reads the log piece by piece, because a thread of low priority must not keep others waiting for long.
    private func catchUp(with log: EventLog, unless isStopping: () -> Bool, _ open: (Sealed, AccountID) throws -> ImageID?) throws {
        let head = log.head
        while try state.withLock({ state in
            try readPiece(&state, of: log, to: head, open)
            return state.through < head
        }) { if isStopping() { throw CancellationError() } }
    }

    private func readPiece(
        _ state: inout State, of log: EventLog, to end: Position, _ open: (Sealed, AccountID) throws -> ImageID?
    ) throws {
        guard state.through < end else { return }
        let head = min(end, Position(state.through.rawValue + Self.pieceEventsMax))
        // Only the newest edit of each account has to be decrypted.
        var changes: [AccountID: Shown] = [:]
        let known = state.ofAccount
        func note(_ sealed: Sealed?, of account: AccountID, at position: UInt64) {
            guard sealed == nil || (changes[account] ?? known[account]?.shown)?.sealed != sealed else { return }
            changes[account] = Shown(sealed: sealed, position: position)
        }
        try log.scan(after: state.through, through: head) { position, record in
            guard wanted.contains(record.type) else { return true }
            switch try LoyaltyCodec.decode(record, at: position).event {
            case .profileEdited(let event):
                switch event.change.avatar {
                case .unchanged: break
                case .cleared: note(nil, of: event.account, at: position.rawValue)
                case .set(let sealed): note(sealed, of: event.account, at: position.rawValue)
                }
            case .accountErased(let event): note(nil, of: event.account, at: position.rawValue)
            default: break
            }
            return true
        }
        // Applied only after everything was read, so that a failed read can be repeated.
        let images = try changes.map { account, shown in (account, shown, try shown.sealed.flatMap { try open($0, account) }) }
        for (account, shown, image) in images { state.set(shown, image, of: account) }
        state.through = head
    }
}
