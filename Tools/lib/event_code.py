"""Makes Swift code of Sources/LoyaltyCodec/Proto/events.proto, the table of events: types, numbers, codecs and texts.

    python3 Tools/lib/event_code.py           writes Events.generated.swift in Loyalty, LoyaltyCodec and Archive
    python3 Tools/lib/event_code.py DIR       the same in another copy of the sources
"""

import itertools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = "Sources/LoyaltyCodec/Proto/events.proto"
TYPES, CODEC = "Sources/Loyalty/Events.generated.swift", "Sources/LoyaltyCodec/Events.generated.swift"
RULES = "Sources/Archive/Rules/Events.generated.swift"

KINDS, IDS = "Sources/LoyaltyCodec/Proto/options.proto", "Sources/Loyalty/Value/ID.swift"

# Types that are several tags: the type, its least number of tags, the number of the first one, and the kind of one that may be absent.
# Events with others are written by hand.
COMPOUND = {"paper": ("PaperName", 2, 23, None), "audience": ("NoticeAudience", 1, 2, "campaign")}
COMPOUND_TYPES = [kind[0] for kind in COMPOUND.values()]
HOME = "The campaign's own shop if ``shop`` is another shop; otherwise nil."
# The entities of the option `of`: the Swift type, and the kind of its tag where it is another.
ENTITIES = {
    "account": "Account", "session": "Session", "shop": "Shop", "campaign": "Campaign", "code": "Code", "card": "Card",
    "redemption": "Redemption", "review": "Review", "notice": "Notice", "invitation": "Invitation", "print": "PaperPrint", "paper": "Paper",
    "search": "SavedSearch",
}
# The properties by which every event can be asked, and what they are.
QUESTIONS = [
    ("shop", "ShopID", "The shop that the event is about. The shop's people may see the event; nil for an event of no shop."),
    ("redemption", "RedemptionID", "The redemption of a full card or of a milestone; nil for an event that is about none."),
    ("home", "ShopID", "The campaign's own shop, if the event happened at another; otherwise nil."),
    ("paper", "PaperName", "The paper card that the event is about; nil for an event that is about none."),
]
# How texts show a value of each type.
SHOWN = {"Secret": ".secret($)", "Instant": ".time($)", "Int": ".integer($)", "Bool": '.symbol($ ? "true" : "false")',
         "Sealed": ".sealed($)", "TypedText": ".typed($)"}
# Stored behind a reference: an enumeration is as large as its largest case, and each step of a stamp moves events.
INDIRECT = ("CampaignPublished", "CampaignEdited")
WIDTH = 140


class Kind:
    """A kind of tag, as options.proto declares it."""

    def __init__(self, comment, name, number, options):
        self.comment, self.name, self.number = plain(comment), name, int(number)
        options = dict(re.findall(r'\((\w+)\) = "(\w+)"', options))
        self.noun, self.prefix = options.get("noun"), options.get("prefix")


def tag_kinds():
    """Each kind of tag by its name, and the Swift type of its values."""
    with open(os.path.join(ROOT, KINDS), encoding="utf-8") as file:
        kinds = [Kind(*each) for each in re.findall(r"((?:^  //.*\n)*)^  ([a-z]\w*) = (\d+)(?: \[(.*)\])?;$",
                                                    file.read().split("\nenum TagKind {")[1], re.M)]
    with open(os.path.join(ROOT, IDS), encoding="utf-8") as file:
        ids = {noun: name for name, noun in re.findall(r"typealias (\w+) = ID<(\w+)>", file.read())}
    return kinds, {kind.name: (kind.number, ids[kind.noun] if kind.noun else "Secret") for kind in kinds}


def upper(name):
    return name[0].upper() + name[1:]


def camel(name):
    first, *others = name.split("_")
    return first + "".join(part.title() for part in others)


class Tag:
    """A tag of an event, as a property of its Swift type."""

    def __init__(self, word):
        self.is_optional = word.endswith("?")
        self.name, _, kind = word.rstrip("?").partition(":")
        self.kind = kind or self.name
        self.is_compound = self.kind in COMPOUND
        if self.is_compound:
            self.type, self.count, self.number, self.absent = COMPOUND[self.kind]
        else:
            self.number, self.type = TAG_KINDS.get(self.kind, (None, None))
            self.count, self.absent = 1, self.kind if self.is_optional else None

    def decoded(self):
        if self.is_compound:
            return f"try {self.type}(of: event)"
        return f"try event.{'secret' if self.type == 'Secret' else 'id'}(.{self.kind})"


class Field:
    """A field of a payload, as a property of the event's Swift type. A text and its sealed form are one property."""

    def __init__(self, label, wire, field, options, comment):
        self.label, self.wire, self.field, self.comment = label, wire, camel(field), comment
        self.range, self.never, self.among = (options.get(each) for each in ("range", "never", "among"))
        self.default, self.named = options.get("default"), options.get("type")
        self.name = options.get("name") or self.field
        self.is_text = False

    @property
    def is_optional(self):
        return self.label == "optional" or (self.named or "").endswith("ID")

    @property
    def type(self):
        if self.is_text:
            return "TypedText"
        by_wire = {"sfixed64": "Instant", "uint32": "Int", "sint32": "Int", "bool": "Bool", "bytes": "Sealed"}
        return (self.named or by_wire[self.wire]) + ("?" if self.is_optional else "")

    def encoded(self):
        """The statements that set the field in `message`."""
        name, field = self.name, self.field
        if self.is_text:
            return [f"message.{field} = {name}.clearField", f'message.sealed{upper(field)} = try {name}.sealedField("{name}")']
        if (self.named or "").endswith("ID"):
            return [f"if let {name} {{ message.{field} = WireBytes.data(id: {name}.value) }}"]
        value = self.value(name)
        return [f"if let {name} {{ message.{field} = {value} }}" if self.is_optional else f"message.{field} = {value}"]

    def value(self, name):
        if self.named == "Secret":
            return f"WireBytes.data({name})"
        if self.named:
            return f"try {name}.wireField()"
        if self.type.startswith("Instant"):
            return f"{name}.microseconds"
        if self.type.startswith("Int"):
            return f"{'Int32' if self.wire == 'sint32' else 'UInt32'}({self.checked(name)})"
        return f'try WireBytes.data({name}, "{name}")' if self.type.startswith("Sealed") else name

    def checked(self, value):
        if self.among:
            return f'try WireRange.check({value}, among: [{self.among}], "{self.name}")'
        never = f", never: {self.never}" if self.never else ""
        return f'try WireRange.check({value}, {self.range}{never}, "{self.name}")'

    def decoded(self):
        read = f"message.{self.field}"
        if self.is_text:
            return f'try TypedText(clear: {read}, sealed: message.sealed{upper(self.field)}, "{self.name}")'
        if (self.named or "").endswith("ID"):
            return f'try WireBytes.id({read}, "{self.name}").map {{ {self.named}($0) }}'
        if self.named == "Secret":
            return f'try WireBytes.secret({read}, "{self.name}")'
        if self.named:
            return f"try {self.named}(wireField: {read})"
        kind = self.type.rstrip("?")
        value = {
            "Instant": f"Instant(microseconds: {read})", "Int": self.checked(read), "Bool": read,
            "Sealed": f'try WireBytes.sealed({read}, "{self.name}")'}[kind]
        if not self.is_optional:
            return value
        return f"message.has{upper(self.field)} ? {value} : nil"


class Event:
    """An event type as the table declares it."""

    def __init__(self, name, comment, options, fields):
        self.name, self.case = name, name[0].lower() + name[1:]
        self.number, self.version = int(options["number"]), int(options.get("version", 1))
        self.is_by_hand, self.is_private = options.get("by_hand") == "true", options.get("is_private") == "true"
        self.tags = [Tag(word) for word in options["tags"].split()]
        unknown = [tag.kind for tag in self.tags if tag.type is None]
        if unknown and not self.is_by_hand:
            raise ValueError(f"{name}: {KINDS} has no tag of the kind {', '.join(unknown)}")
        self.about = dict(re.findall(r"^- (\w+): (.*)$", comment, re.M))
        self.comment = re.sub(r"\n+$", "", re.sub(r"^- \w+: .*\n?", "", comment, flags=re.M))
        self.entities, self.act = options.get("of", "").split(), options.get("act")
        self.shown = options.get("shown", "").split()
        self.fields = fields
        self.has_payload = bool(fields)
        self.is_shared = any(tag.name == "home" for tag in self.tags)

    @property
    def properties(self):
        """Each property: its name, type, default and comment."""
        for tag in self.tags:
            default = "nil" if tag.is_optional else None
            comment = self.about.get(tag.name) or (HOME if tag.name == "home" else "")
            yield tag.name, tag.type + ("?" if tag.is_optional else ""), default, comment
        for field in self.fields:
            yield field.name, field.type, field.default or ("nil" if field.is_optional else None), field.comment

    def names(self, name):
        return any(tag.name == name for tag in self.tags)


def read(text):
    """The events of the table, in its order, and the names of messages that are no events."""
    events = []
    for comment, name, body in re.findall(r"((?:^//[^\n]*\n)*)^message (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        option = re.search(r"  option \(event\) = \{(.*?)\};\n", body, re.S)
        if not option:
            continue
        options = {key: value.strip('"') for key, value in re.findall(r'(\w+): ("[^"]*"|\w+)', option[1])}
        events.append(Event(name, plain(comment), options, list(fields_of(body[option.end():]))))
    return events


def plain(comment):
    """The text of a comment, a paragraph or an item a line."""
    lines = [re.sub(r"^\s*// ?", "", line) for line in comment.splitlines()]
    return re.sub(r"(?<=[^\n])\n(?=[^\n-])", " ", "\n".join(lines))


ALL_KINDS, TAG_KINDS = tag_kinds()


def fields_of(body):
    body = re.sub(r"^  enum .*?^  \}\n", "", body, flags=re.M | re.S)
    texts = {}
    pattern = r"((?:^  //.*\n)*)^  (optional |repeated )?(\w+) (\w+) = \d+(?: \[(.*)\])?;$"
    for comment, label, wire, field, options in re.findall(pattern, body, re.M):
        options = dict(re.findall(r'\((\w+)\) = "([^"]*)"', options))
        each = Field(label.strip(), wire, field, options, plain(comment))
        if field.startswith("sealed_") and field[7:] in texts:
            texts[field[7:]].is_text = True
            continue
        texts[field] = each
        yield each


def doc(text, indent=""):
    """Lines of a documentation comment."""
    lines = []
    for paragraph in text.split("\n"):
        line = indent + "///"
        for word in paragraph.split():
            if len(line) + len(word) + 1 > WIDTH:
                lines.append(line)
                line = indent + "///"
            line += " " + word
        lines.append(line)
    return lines if text else []


def types(events):
    """Events.generated.swift of Loyalty."""
    out = ["/// All events of the domain.", "public enum LoyaltyEvent: Hashable, Sendable {"]
    out += [f"    {'indirect ' if event.name in INDIRECT else ''}case {event.case}({event.name})" for event in events]
    out += ["}", "", "extension LoyaltyEvent {",
            "    /// The card to whose history the event belongs, its campaign and its holder; nil for an event that is about no card.",
            "    public var holding: (card: CardID, campaign: CampaignID, holder: AccountID)? {", "        switch self {"]
    out += [f"        case .{event.case}(let event): (event.card, event.campaign, event.holder)" for event in events if event.names("card")]
    out += ["        default: nil", "        }", "    }", "", "    public var card: CardID? { holding?.card }"]
    out += ["    public var campaign: CampaignID? { holding?.campaign }", "    public var holder: AccountID? { holding?.holder }", ""]
    for name, type_, about in QUESTIONS:
        out += doc(about, "    ") + [f"    public var {name}: {type_}? {{", "        switch self {"]
        asked = [event for event in events if answers(event, name)]
        out += [f"        case .{event.case}(let event): event.{expression(event, name)}" for event in asked]
        out += ["        default: nil", "        }", "    }", ""]
    out += ["    /// The kind of activity at a shop; nil if no state of a shop forbids the event."]
    acts = dict.fromkeys(event.act for event in events if event.act)
    kinds = {f".{act}": [event.case for event in events if event.act == act] for act in acts}
    out += grouped("    var actKind: ShopAct.Kind? {", kinds, "nil") + ["}"]
    for event in events:
        if event.is_by_hand:
            continue
        shared = ", SharedEvent" if event.is_shared else ""
        out += [""] + doc(event.comment) + [f"public struct {event.name}: Hashable, Sendable{shared} {{"]
        properties = list(event.properties)
        for name, type_, _, comment in properties:
            out += doc(comment, "    ") + [f"    public let {name}: {type_}"]
        parameters = [f"{name}: {type_}" + (f" = {default}" if default else "") for name, type_, default, _ in properties]
        out += [""] + wrapped("    public init(", parameters, ") {")
        out += assigned([name for name, *_ in properties]) + ["    }", "}"]
    for entity, noun in ENTITIES.items():
        out += ["", f"extension {noun}: Entity {{"]
        out += [f"    public static func id(in event: LoyaltyEvent) -> ID<{noun}>? {{", "        switch event {"]
        out += [f"        case .{event.case}(let event): event.{subject(event, entity)}" for event in events if entity in event.entities]
        out += ["        default: nil", "        }", "    }", "}"]
    return out


def assigned(names):
    """The statements of an initializer, with as many properties in one as fit on a line."""
    lines, group = [], []
    for name in names:
        if len(assignment(group + [name])) > WIDTH:
            lines, group = lines + [assignment(group)], []
        group.append(name)
    return lines + [assignment(group)]


def assignment(names):
    if len(names) == 1:
        return f"        self.{names[0]} = {names[0]}"
    return f"        ({', '.join('self.' + name for name in names)}) = ({', '.join(names)})"


def subject(event, entity):
    """The expression of the entity's id in the event."""
    if entity == "paper":
        return "paper.id"
    return next(tag.name for tag in event.tags if tag.kind == entity)


def answers(event, name):
    if name == "shop":
        return not event.is_private and (event.names("shop") or event.names("audience"))
    return event.names(name)


def expression(event, name):
    return "audience.shop" if name == "shop" and event.names("audience") else name


def wrapped(head, parts, tail):
    """The parts, separated by commas, on one line or on several."""
    line = head + ", ".join(parts) + tail
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    lines, current = [head.rstrip()], indent
    for index, part in enumerate(parts):
        piece = part + (", " if index + 1 < len(parts) else "")
        if len(current) + len(piece.rstrip()) > WIDTH:
            lines.append(current.rstrip())
            current = indent
        current += piece
    if tail == ")" or tail.startswith(":"):
        return lines + [current + tail]
    return lines + [current, indent[4:] + tail.strip()]


def short(head, body, indent="    "):
    """A member with one statement, on one line if it fits."""
    line = f"{indent}{head} {{ {body} }}"
    return [line] if len(line) <= WIDTH else [f"{indent}{head} {{", f"{indent}    {body}", f"{indent}}}"]


def codec(events):
    """Events.generated.swift of LoyaltyCodec."""
    out = ["public import EventLog", "public import Loyalty", "", "/// The event types and their numbers in logs.",
           "enum WireType: UInt16, CaseIterable {"]
    out += [f"    case {event.case} = {event.number}" for event in events]
    out += ["", "    /// The schema version that is written today; for a retired type, the last one that was written."]
    versions = sorted({event.version for event in events} - {1}, reverse=True)
    out += grouped("    var currentVersion: UInt16 {", {n: [each.case for each in events if each.version == n] for n in versions}, "1")
    out += ["}", ""]
    out += ["/// The numbers of the event types. The types of ``LoyaltyEvent`` say what each one is.", "extension EventType {"]
    out += [f"    @inlinable public static var {event.case}: EventType {{ EventType(rawValue: {event.number}) }}" for event in events]
    out += ["}", "", "extension LoyaltyEvent {"]
    out += switch("    var coded: (type: WireType, event: any CodedEvent) {", events,
                  lambda event: f"case .{event.case}(let event): (.{event.case}, event)")
    out += ["", "    /// Decodes an event of today's version."]
    out += switch("    init(current event: some StoredEvent & ~Escapable, _ type: WireType) throws(CodecError) {", events,
                  lambda event: f"case .{event.case}: self = .{event.case}(try {event.name}(current: event))", "type")
    out += ["}", "", "// The types of the events that open or change an entity."]
    for entity, noun in ENTITIES.items():
        types_of = [f".{event.case}" for event in events if entity in event.entities]
        line = f"extension {noun} {{ package static let eventTypes: [EventType] = [{', '.join(types_of)}] }}"
        out += [""] + ([line] if len(line) <= WIDTH else [f"extension {noun} {{"] + wrapped(
            "    package static let eventTypes: [EventType] = [", types_of, "]") + ["}"])
    for event in events:
        if not event.is_by_hand:
            out += [""] + event_codec(event)
    return out + tags()


def tags():
    """The kinds of tags, and the prefixes of ids."""
    out = ["", "/// The closed list of the kinds of tags.", "enum WireTag: UInt8, CaseIterable {"]
    out += [f"    case {kind.name} = {kind.number}" for kind in ALL_KINDS]
    nouns = dict.fromkeys(kind.noun for kind in ALL_KINDS)
    prefixes = {f"{noun}.idPrefix" if noun else "nil": [kind.name for kind in ALL_KINDS if kind.noun == noun] for noun in nouns}
    out += ["", "    /// The TypeID prefix; nil for keyed hashes."] + grouped("    var idPrefix: String? {", prefixes)
    out += ["}", "", "extension TagKind {"]
    for kind in ALL_KINDS:
        out += doc(kind.comment, "    ")
        out += [f"    @inlinable public static var {kind.name}: TagKind {{ TagKind(rawValue: {kind.number}) }}"]
    out += ["}", ""]
    return out + [f'extension {kind.noun}: Identified {{ public static var idPrefix: String {{ "{kind.prefix}" }} }}'
                  for kind in ALL_KINDS if kind.prefix]


def rules(events):
    """Events.generated.swift of the judge: an event without a rule does not compile."""
    checks = switch("    mutating func checkRules(_ fact: Fact) {", events,
                    lambda event: f"case .{event.case}(let event): check(event, fact)", "fact.event")
    return ["internal import Loyalty", "", "extension RuleBook {"] + checks + ["}"]


def switch(head, events, line, subject="self"):
    return [head, f"        switch {subject} {{"] + ["        " + line(event) for event in events] + ["        }", "    }"]


def grouped(head, cases, otherwise=None):
    """A switch with the cases of each value on one line or on several."""
    lines = [line for value, names in cases.items() for line in wrapped("        case ", ["." + name for name in names], f": {value}")]
    return [head, "        switch self {"] + lines + ([f"        default: {otherwise}"] if otherwise else []) + ["        }", "    }"]


def event_codec(event):
    own = [tag for tag in event.tags if tag.name != "home"]
    certain = sum(tag.count for tag in own if not tag.is_optional)
    out = [f"extension {event.name}: {'MessageEvent' if event.has_payload else 'CodedEvent'} {{"]
    draft = f"EventDraft(.{event.case}, {tags_of(event, own)}"
    if event.has_payload:
        out += ["    func draft() throws(CodecError) -> EventDraft {", f"        var message = Wire{event.name}()"]
        for field in event.fields:
            out += ["        " + line for line in field.encoded()]
        out += [f"        return try {draft}, message)", "    }", ""]
    else:
        out += short("func draft() throws(CodecError) -> EventDraft", f"{'try ' if event.is_shared else ''}{draft})") + [""]
    absent = [tag.absent for tag in own if tag.absent]
    if len(absent) == 1:
        count = f"event.value(of: .{absent[0]}) == nil ? {certain} : {certain + 1}"
    else:
        count = " + ".join([str(certain)] * (certain > 0 or not absent) + [f"(event.value(of: .{each}) == nil ? 0 : 1)" for each in absent])
    source = f"_ message: Wire{event.name}, _ event" if event.has_payload else "current event"
    out += [f"    init({source}: some StoredEvent & ~Escapable) throws(CodecError) {{"]
    if event.is_shared:
        out += [f"        let home = try event.home(besides: {certain})"]
        out += [] if event.has_payload else ["        try event.expectNoPayload()"]
    else:
        out += [f"        try event.{'expectTags' if event.has_payload else 'expectOnlyTags'}({count})"]
    arguments = []
    for tag in event.tags:
        if tag.name == "home":
            arguments.append("home: home")
        elif tag.is_optional:
            arguments.append(f"{tag.name}: event.value(of: .{tag.kind}).map {{ {tag.type}($0) }}")
        else:
            arguments.append(f"{tag.name}: {tag.decoded()}")
    arguments += [f"{field.name}: {field.decoded()}" for field in event.fields]
    out += wrapped("        self.init(", arguments, ")") + ["    }", ""]
    return out + text(event) + ["}"]


def concatenated(parts):
    """The sum of lists. Each part is an expression, and whether it is a list; those beside each other that are none make one list."""
    sums = []
    for is_list, group in itertools.groupby(parts, lambda part: part[1]):
        texts = [text for text, _ in group]
        sums += texts if is_list else ["[" + ", ".join(texts) + "]"]
    return " + ".join(sums)


def tags_of(event, own):
    """The expression of the event's tags, ascending by kind."""
    parts = []
    for tag in sorted(own, key=lambda tag: tag.number):
        one = f"Tag(.{tag.kind}, {'$0' if tag.is_optional else tag.name}.value)"
        text = f"{tag.name}.tags" if tag.is_compound else f"({tag.name}.map {{ [{one}] }} ?? [])" if tag.is_optional else one
        parts.append((text, tag.is_compound or tag.is_optional))
    return concatenated(parts + ([("WireHome.tags(home, besides: shop)", True)] if event.is_shared else []))


def text(event):
    """The property `fields`."""
    kinds = {name: type_ for name, type_, *_ in event.properties}
    defaults = {name: default for name, _, default, _ in event.properties}
    parts = []
    for name in event.shown or [name for name in kinds if name != "home"]:
        kind = kinds[name]
        shown = SHOWN.get(kind.rstrip("?"), ".id($)" if kind.rstrip("?").endswith("ID") else ".symbol($.name)")
        one = f'FactField("{name}", {shown})'
        if kind in COMPOUND_TYPES:
            parts.append((f"{name}.fields", True))
        elif kind.endswith("?"):
            parts.append((f"({name}.map {{ [{one.replace('$', '$0')}] }} ?? [])", True))
        elif (defaults[name] or "").startswith("."):
            parts.append((f"({name} == {defaults[name]} ? [] : [{one.replace('$', name)}])", True))
        else:
            parts.append((one.replace("$", name), False))
    return short("var fields: [FactField]", concatenated(parts + ([("homeFields", True)] if event.is_shared else [])))


def made(events):
    head = ["// Made by Tools/generate from Sources/LoyaltyCodec/Proto/events.proto. Not to be edited."]
    made_lines = {TYPES: types(events), CODEC: codec(events), RULES: rules(events)}
    return {path: "\n".join(head + lines) + "\n" for path, lines in made_lines.items()}


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else ROOT
    with open(os.path.join(root, TABLE), encoding="utf-8") as file:
        events = read(file.read())
    for path, code in made(events).items():
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(code)


if __name__ == "__main__":
    main()
