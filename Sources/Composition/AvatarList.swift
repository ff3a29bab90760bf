import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

/// The pictures of people's profiles, found by reading the log once and kept in memory: about 200 bytes each.
///
/// The ids of these pictures are sealed in events, so no tag leads from a picture to the accounts that show it. Any task may call. A call
/// blocks while it reads the events since the last call.
final class AvatarList: Sendable {
    /// The avatar of an account according to its newest edit.
    private struct Shown {
        /// The id of the picture, sealed; nil if the account no longer shows a picture.
        let sealed: Sealed?
        /// The position of the first edit with these sealed bytes. An edit of another field repeats the bytes. If the same picture is
        /// chosen again, it is sealed with another nonce, so the bytes differ.
        let position: UInt64
    }

    private struct State {
        /// Events up to this position have been read.
        var through = Position.start
        var ofAccount: [AccountID: (shown: Shown, image: ImageID?)] = [:]
        /// The accounts that show each picture, with the position of the edit that named it.
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

    /// The number of events that are read under the lock, in some milliseconds.
    private static let pieceEventsMax: UInt64 = 4_096

    private let state = Mutex(State())
    private let wanted = TypeFilter([.profileEdited, .accountErased])

    /// The accounts that show a picture in their profile, with the position of the edit that named it.
    ///
    /// - Parameter open: decrypts a sealed field; returns nil if the account's key was destroyed.
    /// - Throws: errors of reading the log and of `open`.
    func accounts(
        showing image: ImageID, in log: EventLog, open: (Sealed, AccountID) throws -> ImageID?
    ) throws -> [AccountID: UInt64] {
        try catchUp(with: log, unless: { false }, open)
        return state.withLock { $0.shown[image] ?? [:] }
    }

    /// All pictures that profiles show, with the position of the newest edit that named each.
    ///
    /// - Parameter open: like that of ``accounts(showing:in:open:)``.
    /// - Throws: errors of reading the log and of `open`; `CancellationError`.
    func shown(
        in log: EventLog, unless isStopping: () -> Bool, open: (Sealed, AccountID) throws -> ImageID?
    ) throws -> [ImageID: UInt64] {
        try catchUp(with: log, unless: isStopping, open)
        return state.withLock { $0.shown.mapValues { $0.values.max() ?? 0 } }
    }

    /// Reads the log up to its present head, piece by piece, because a thread of low priority must not keep others waiting for long.
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
        // The events are applied only after everything was read, so that a failed read can be repeated.
        let images = try changes.map { account, shown in (account, shown, try shown.sealed.flatMap { try open($0, account) }) }
        for (account, shown, image) in images { state.set(shown, image, of: account) }
        state.through = head
    }
}
