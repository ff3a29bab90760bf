"""Tests of the code that is made of the table of events: `python3 -m unittest discover Tools/lib`."""

import os
import unittest

import event_code

TABLE = """
// A cup fell over.
// Nobody was hurt.
//
// - shop: The shop with the wet floor.
message CupFell {
  option (event) = {
    number: 200
    version: 2
    tags: "cup:card shop home? witness:account?"
  };
  // The millilitres.
  uint32 spilled = 1 [(range) = "1...700", (never) = "333"];
  string reason = 2;
  bytes sealed_reason = 3;
  optional sfixed64 dried_at = 4;
}

// Part of no event.
message Other {
  bytes text = 1;
}
"""


class EventCodeTests(unittest.TestCase):
    def setUp(self):
        self.events = event_code.read(TABLE)
        self.types, self.codec = (event_code.made(self.events)[path] for path in (event_code.TYPES, event_code.CODEC))

    def test_a_message_without_the_option_is_no_event(self):
        self.assertEqual([event.name for event in self.events], ["CupFell"])

    def test_a_type_has_its_tags_and_then_its_fields_with_a_text_and_its_sealed_form_as_one(self):
        self.assertEqual(
            [(name, kind) for name, kind, *_ in self.events[0].properties],
            [("cup", "CardID"), ("shop", "ShopID"), ("home", "ShopID?"), ("witness", "AccountID?"), ("spilled", "Int"),
             ("reason", "TypedText"), ("driedAt", "Instant?")])
        self.assertIn("/// A cup fell over. Nobody was hurt.\npublic struct CupFell: Hashable, Sendable, SharedEvent {", self.types)
        self.assertIn("    /// The shop with the wet floor.\n    public let shop: ShopID", self.types)

    def test_tags_are_stored_in_ascending_order_of_their_kinds(self):
        self.assertIn(
            "(witness.map { [Tag(.account, $0.value)] } ?? []) + [Tag(.shop, shop.value), Tag(.card, cup.value)] + WireHome.tags(",
            self.codec)

    def test_a_number_is_checked_when_it_is_written_and_when_it_is_read(self):
        self.assertIn('message.spilled = UInt32(try WireRange.check(spilled, 1...700, never: 333, "spilled"))', self.codec)
        self.assertIn('spilled: try WireRange.check(message.spilled, 1...700, never: 333, "spilled")', self.codec)

    def test_a_field_that_may_be_absent_is_told_from_zero(self):
        self.assertIn("driedAt: message.hasDriedAt ? Instant(microseconds: message.driedAt) : nil", self.codec)

    def test_a_tag_of_an_unknown_kind_is_refused(self):
        with self.assertRaisesRegex(ValueError, "CupFell: .* has no tag of the kind cupboard"):
            event_code.read(TABLE.replace("cup:card", "cup:cupboard"))

    def test_the_committed_code_is_what_the_table_says(self):
        with open(os.path.join(event_code.ROOT, event_code.TABLE), encoding="utf-8") as file:
            made = event_code.made(event_code.read(file.read()))
        for path, code in made.items():
            with open(os.path.join(event_code.ROOT, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), code, f"{path} is stale: run Tools/generate")


if __name__ == "__main__":
    unittest.main()
