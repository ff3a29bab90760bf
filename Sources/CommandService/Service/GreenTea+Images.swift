import EventLog
public import Images
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Takes in a picture; see ``ImageStore/add(_:by:at:unless:)``. The same one again is the same answer again.
    ///
    /// No event tells of it, so what its idempotency key was used for is remembered as for requests that changed nothing: for a day at the
    /// most, see ``IdleRequests``.
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

    /// Whether a picture is there and no operator took it down.
    ///
    /// - Throws: what reading the log throws.
    public func hasImage(_ id: ImageID) throws -> Bool {
        guard let name = images.name(of: id) else { return false }
        return try !isForbidden(name)
    }

    /// A picture as it may be shown, and whether anybody may keep it; nil where there is none, or an operator took it down.
    ///
    /// - Parameter width: see ``ImageStore/image(_:width:)``.
    /// - Returns: `isPublic` for what a shop or a campaign shows. What a person shows, or nobody yet, is the viewer's alone.
    /// - Throws: ``ImageError``; what reading the log throws.
    public func shownImage(_ id: ImageID, width: Int?) async throws -> (image: ShownImage, isPublic: Bool)? {
        guard let image = try await images.image(id, width: width) else { return nil }
        let entries = try pictureEntries(of: [id, image.name.content])
        return entries.contains(where: \.isForAll) ? nil : (image, entries[0].isNamedByShop)
    }

    /// Takes a picture down: its bytes and thumbnails are removed. What names it still does, and shows nothing.
    ///
    /// The picture is let go first, then the event is stored, then the files are removed: whenever a crash comes, the next sweep
    /// removes what the log says is not shown any more.
    ///
    /// - Parameter asOperator: whether the caller is one, which the caller of this MUST know: such bytes are not taken in again then, and
    ///   no copy of them is shown. Anybody else takes down what they have sent, or, of a folder's older pictures, what they alone show.
    /// - Throws: ``ServiceError``; `failed` where a file could not be removed, which the next sweep tries again.
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
        try await removeReleased([image])
        return acceptance
    }

    /// Whether the log tells of an earlier request under this key. A key that is remembered without an event was another request's: every
    /// taking down has one. Such a memory ends, so nothing may be allowed because of it.
    private func isRepeated(_ caller: Caller) throws(ServiceError) -> Bool {
        guard let mark = caller.mark else { return false }
        if try reading({ try $0.facts(ofRequest: mark.request) != nil }) { return true }
        guard idle.find(mark) == nil else { throw .idempotencyKeyReused }
        return false
    }

    /// Whether an account may take a picture down. Nobody else can name one that has a sender, so nobody else is asked about.
    private func isOwn(_ name: ImageName, of account: AccountID) async throws(ServiceError) -> Bool {
        if name.hasSender { return images.isSent(name, by: account) }
        return try await readingApart { service in
            var use = PictureUse(service)
            return try use.isOnly(account, showing: name.id)
        }
    }

    /// Removes those of some pictures that were let go and that nobody shows.
    ///
    /// - Throws: ``ServiceError/failed(_:)`` where the log cannot be read, or a file not be removed; the next sweep tries again.
    func removeReleased(_ released: Set<ImageID>) async throws(ServiceError) {
        guard !released.isEmpty else { return }
        try await readingApart { service in
            var use = PictureUse(service)
            try service.images.removeReleased(released) { try use.use(of: $0) }
        }
    }

    /// Lets go of every picture that an account ever showed. To be done before it is erased, while its key is there.
    ///
    /// - Returns: these pictures.
    @discardableResult
    package func releasePictures(of account: AccountID) throws(ServiceError) -> Set<ImageID> {
        let pictures = try pictures(of: account)
        for picture in pictures { images.release(picture) }
        return pictures
    }

    /// The pictures that an account ever showed: of itself, in its shop, and in that shop's campaigns.
    private func pictures(of account: AccountID) throws(ServiceError) -> Set<ImageID> {
        let facts = try reading { past in
            let ofShop = try past.shop(ownedBy: account).map {
                try past.facts(Array(PictureUse.naming), Tag(kind: .shop, value: $0.id.value))
            }
            return try past.facts([.profileEdited], Tag(kind: .account, value: account.value)) + (ofShop ?? [])
        }
        var pictures: Set<ImageID> = []
        for fact in facts {
            switch fact.event {
            case .profileEdited(let event):
                guard case .set(let sealed) = event.change.avatar else { continue }
                if let id = try open(sealed, as: .avatar, of: account).flatMap({ ImageID(text: $0) }) { pictures.insert(id) }
            case .shopOpened(let event): pictures.formUnion(event.images)
            case .shopEdited(let event): pictures.formUnion(event.images)
            case .campaignPublished(let event): if let image = event.image { pictures.insert(image) }
            case .campaignEdited(let event): if let image = event.image { pictures.insert(image) }
            default: break
            }
        }
        return pictures
    }

    /// Removes pictures that were sent or named more than a day ago, or let go, and that nobody shows; and those that an operator took
    /// down. Waits for the disk, on a thread of its own.
    ///
    /// - Returns: how many went.
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
    @discardableResult
    public func sweepImages() async throws(ServiceError) -> Int {
        let since = clock.now().advanced(bySeconds: -ImageLimits.unusedSecondsMax)
        return try await readingApart { service in
            var use = PictureUse(service)
            return try service.images.sweep(unusedSince: since) { try use.use(of: $0) }
        }
    }

    /// Reads, on a thread of its own, what may take a look at the whole log.
    func readingApart<Value: Sendable>(
        _ body: @escaping @Sendable (GreenTea) throws -> Value
    ) async throws(ServiceError) -> Value {
        do {
            return try await blocking { [self] in try body(self) }
        } catch {
            throw .failed(String(describing: error))
        }
    }
}
