public import CommandService
import EventLog
public import Images
public import Loyalty
import LoyaltyCodec

/// Taking a picture down has three steps. First the picture is released, unless an operator takes it down. To release a picture, its file's
/// time is set to 1970, so that a sweep may remove the file. Then the event is appended to the log. Then the file is removed, if nothing
/// shows the picture any more. After a crash between the steps, the next sweep removes the file. If a file has another time after its
/// picture was taken down, the picture was sent or named again.
extension GreenTea {
    /// Stores a picture; see ``ImageStore/add(_:by:at:unless:)``. If the same picture is sent again, the answer is the same.
    ///
    /// No event records an upload. So its idempotency key is remembered for at most a day, like the key of a request that changed nothing;
    /// see ``IdleRequests``. The key is remembered after the picture is stored, so calls with one key MUST NOT overlap.
    ///
    /// - Throws: ``ImageError``, `takenDown` for a picture that an operator took down; ``ServiceError/idempotencyKeyReused``.
    public func addImage(_ bytes: [UInt8], by caller: Caller) async throws -> StoredImage {
        if let mark = caller.mark {
            let isReused = try idle.find(mark).map { !$0.isSame } ?? reading { try $0.facts(ofRequest: mark.request) != nil }
            if isReused { throw ServiceError.idempotencyKeyReused }
        }
        let image = try await images.add(bytes, by: caller.account, at: clock.now()) { [self] in
            try pictureEntries(of: [$0])[0].isForAll
        }
        if let mark = caller.mark { try idle.note(mark, at: log.head) }
        return image
    }

    /// Keeps a picture for another day because its sender is about to refer to it; see ``ImageStore/hold(_:by:at:)``.
    ///
    /// - Returns: false if the account has not sent such a picture, or if an operator took down the same bytes.
    /// - Throws: what reading the log throws.
    public func holdImage(_ id: ImageID, by account: AccountID) throws -> Bool {
        guard let name = images.name(of: id), try !isForbidden(name) else { return false }
        return images.hold(id, by: account, at: clock.now())
    }

    /// Whether a picture exists and no operator has taken it down.
    ///
    /// - Throws: errors of reading the log.
    public func hasImage(_ id: ImageID) throws -> Bool {
        guard let name = images.name(of: id) else { return false }
        return try !isForbidden(name)
    }

    /// A picture that may be shown, and whether public caches may keep it. Nil if the picture does not exist, or if an operator took it
    /// down.
    ///
    /// - Parameter width: see ``ImageStore/image(_:width:)``.
    /// - Returns: `isPublic` for a picture that a shop or a campaign has ever named. Any other picture may be kept only in the viewer's own
    ///   cache.
    /// - Throws: ``ImageError``; what reading the log throws.
    public func shownImage(_ id: ImageID, width: Int?) async throws -> (image: ShownImage, isPublic: Bool)? {
        guard let image = try await images.image(id, width: width) else { return nil }
        let entries = try pictureEntries(of: [id, image.name.content])
        return entries.contains(where: \.isForAll) ? nil : (image, entries[0].isNamedByShop)
    }

    /// Takes a picture down: its file and its thumbnails are removed. Shops and profiles that name the picture are not changed, but show
    /// nothing in its place.
    ///
    /// First the picture is released, so that a sweep may remove it, unless the caller is an operator. Then the event is stored, and then
    /// the files are removed. After a crash between these steps, the next sweep removes the files of pictures that are no longer shown
    /// according to the log.
    ///
    /// - Parameter asOperator: whether the caller is an operator, which the calling code MUST have checked. If so, the same bytes are never
    ///   accepted again, and no copy of them is shown. Other callers can take down only pictures that they sent. If the sender of an older
    ///   picture is unknown, the only account that shows the picture can take it down.
    /// - Throws: ``ServiceError``; `failed` if a file could not be removed, which the next sweep retries.
    public func takeDownImage(_ image: ImageID, asOperator: Bool, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let name = images.name(of: image)
        if try !isRepeated(caller) {
            guard let name else { throw .rejected(.notFound) }
            if !asOperator {
                guard try await isOwn(name, of: caller.account) else { throw .rejected(.forbidden) }
                images.release(image)
            }
        }
        let command = TakeDownImage(image: image, content: asOperator ? name?.content : nil, asOperator: asOperator)
        let acceptance = try await submit(.takeDownImage(command), by: caller)
        // A request that named the picture between the release and the event has set the file's time. That would count as sent again.
        if !asOperator, !acceptance.isReplay { images.release(image) }
        try await removeReleased([image])
        return acceptance
    }

    /// Whether the log has an earlier request with this key. Every take-down adds an event, so a key that only ``IdleRequests`` remembers
    /// belongs to another kind of request, and is refused.
    private func isRepeated(_ caller: Caller) throws(ServiceError) -> Bool {
        guard let mark = caller.mark else { return false }
        if try reading({ try $0.facts(ofRequest: mark.request) != nil }) { return true }
        guard idle.find(mark) == nil else { throw .idempotencyKeyReused }
        return false
    }

    /// Whether an account may take a picture down. If the sender is known, no other account can name the picture, so no further check is
    /// needed.
    private func isOwn(_ name: ImageName, of account: AccountID) async throws(ServiceError) -> Bool {
        if name.hasSender { return images.isSent(name, by: account) }
        return try await readingApart { service in
            var use = PictureUse(service)
            return try use.isOnly(account, showing: name.id)
        }
    }

    /// Removes those of the released pictures that no shop, campaign or profile shows.
    ///
    /// - Throws: ``ServiceError/failed(_:)`` if the log cannot be read or a file cannot be removed; the next sweep retries.
    func removeReleased(_ released: Set<ImageID>) async throws(ServiceError) {
        guard !released.isEmpty else { return }
        try await readingApart { service in
            var use = PictureUse(service)
            try service.images.removeReleased(released) { try use.use(of: $0) }
        }
    }

    /// Releases the pictures that an account has ever shown in its profile, and those ever shown by the shops that it owns now and by their
    /// campaigns. A sweep may then remove these pictures. MUST be called before the account is erased, while its key exists.
    ///
    /// - Returns: the released pictures.
    @discardableResult
    package func releasePictures(of account: AccountID) throws(ServiceError) -> Set<ImageID> {
        let pictures = try pictures(of: account)
        for picture in pictures { images.release(picture) }
        return pictures
    }

    /// The pictures that an account has ever shown in its profile, and those ever shown by the shops that it owns now and by their
    /// campaigns.
    private func pictures(of account: AccountID) throws(ServiceError) -> Set<ImageID> {
        let facts = try reading { past in
            let ofShops = try past.shops(ownedBy: account).flatMap {
                try past.facts(Array(PictureUse.naming), Tag(kind: .shop, value: $0.id.value))
            }
            return try past.facts([.profileEdited], Tag(kind: .account, value: account.value)) + ofShops
        }
        var pictures: Set<ImageID> = []
        for fact in facts {
            switch fact.event {
            case .profileEdited(let event):
                guard case .set(let sealed) = event.change.avatar else { continue }
                if let id = try open(sealed, as: .avatar, of: account).flatMap({ ImageID(text: $0) }) { pictures.insert(id) }
            case .shopOpened(let event): pictures.formUnion(event.images)
            case .shopEdited(let event): pictures.formUnion(event.images)
            case .campaignPublished(let event): if let image = event.terms.image { pictures.insert(image) }
            case .campaignEdited(let event): if let image = event.terms.image { pictures.insert(image) }
            default: break
            }
        }
        return pictures
    }

    /// Removes pictures that nothing shows and that were released, or were last sent or held more than a day ago (see
    /// ``holdImage(_:by:)``). Also removes pictures that an operator took down. The work runs on a thread of Dispatch.
    ///
    /// - Parameter isStopping: called before each picture. If it returns true, the sweep ends, and the next sweep examines the rest.
    /// - Returns: the number of removed pictures.
    /// - Throws: ``ServiceError/failed(_:)`` if the log cannot be read, if a file cannot be removed, or if `isStopping` ended the sweep.
    @discardableResult
    public func sweepImages(unless isStopping: @escaping @Sendable () -> Bool = { false }) async throws(ServiceError) -> Int {
        let since = clock.now().advanced(bySeconds: -ImageLimits.unusedSecondsMax)
        return try await readingApart { service in
            var use = PictureUse(service)
            return try service.images.sweep(unusedSince: since) { name in
                if isStopping() { throw CancellationError() }
                return try use.use(of: name)
            }
        }
    }

    /// Counts the pictures that shops, campaigns and profiles show, and whose files are missing or damaged. Reads all these files. Blocks.
    ///
    /// - Parameter isStopping: called before each picture and each piece of the log. If it returns true, the count ends with an error.
    /// - Throws: errors of reading the log; `CancellationError`.
    @available(*, noasync)
    public func missingImages(unless isStopping: () -> Bool = { false }) throws -> Set<ImageID> {
        let missing = try images.missing(try shownImages(unless: isStopping), unless: isStopping)
        // A picture may have been taken down after the log was read.
        let found = missing.isEmpty ? [] : try shownImages(unless: isStopping).intersection(missing)
        pictures.note(missing: found.count)
        return found
    }

    private func shownImages(unless isStopping: () -> Bool) throws -> Set<ImageID> {
        let people = try avatars.shown(in: log, unless: isStopping) { sealed, account in
            try open(sealed, as: .avatar, of: account).flatMap { ImageID(text: $0) }
        }
        let entries = try pictures.entries(of: Array(people.keys), in: log)
        let isShown = zip(people, entries).filter { $0.value > $1.takenDown && !$1.isForAll }
        return try pictures.shown(in: log, unless: isStopping).union(isShown.map(\.0.key))
    }

    /// Runs a read that may cover the whole log, on a thread of Dispatch.
    func readingApart<Value: Sendable>(
        _ body: @escaping @Sendable (GreenTea) throws -> Value
    ) async throws(ServiceError) -> Value {
        do {
            return try await blocking { [self] in try body(self) }
        } catch {
            throw ServiceError(storage: error)
        }
    }
}
