"""The parts of Tools/check-damage that need no server."""

import os
import random
import re
import tempfile
import unittest

from damage_pages import PAGE, WAYS, Hurt
from damage_remedies import REMEDIES
from damage_service import CONDITION, Probe, Service, lacks
from damage_world import KINDS


def kind_of(path):
    return next(kind for kind, _, pattern in KINDS if re.fullmatch(pattern, path))


def read(path):
    """The bytes of a file; None where there is none."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class DamageTests(unittest.TestCase):
    def test_each_damage_changes_one_page_and_a_seed_repeats_it(self):
        for way in WAYS:
            outcomes = []
            for _ in range(2):
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "file")
                    with open(path, "wb") as file:
                        file.write(b"a" * (5 * PAGE + 7))
                    hurt = Hurt(path, way, random.Random("seed"))
                    hurt.apply()
                    outcomes.append(read(path))
            self.assertEqual(*outcomes, way)
            if outcomes[0] and way != "cut off":
                self.assertEqual(len(outcomes[0]), 5 * PAGE + 7)
                changed = {at // PAGE for at, byte in enumerate(outcomes[0]) if byte != ord("a")}
                self.assertEqual(len(changed), 1, way)

    def test_a_file_of_the_data_folder_has_one_kind_and_a_remedy(self):
        for path, kind in [
            ("data/log/data.mdb", "log"), ("data/log/lock.mdb", "lock file"), ("data/keys/data.mdb", "keys"),
            ("data/derived/models/notices/v3-g1/data.mdb", "model"), ("data/derived/models/notices/v3-g1/seal", "model state"),
            ("data/derived/models/discovery/v5-g1/discovery.sqlite-wal", "search database"), ("data/derived/index/run-12", "index run"),
            ("data/last-drill", "note"), ("data/blobs/ab/abcd", "picture"), ("data/checkpoint.vkey", "checkpoint"),
        ]:
            self.assertEqual(kind_of(path), kind)
            self.assertIn(kind, REMEDIES)
        self.assertEqual(kind_of("backups/1/log/lock.mdb"), "backup lock file")
        self.assertEqual(kind_of("backups/1/events"), "increment events")

    def test_conditions_of_alerts_are_understood(self):
        alerts = {alert for alert, _ in Service.alerts}
        self.assertLessEqual({"GreenTeaNotReady", "GreenTeaModelStopped", "GreenTeaModelMismatch", "GreenTeaInternalErrors"}, alerts)
        self.assertIsNone(CONDITION.match("time() - greentea_backup_timestamp_seconds > 2 * 86400"))

    def test_missing_data_is_not_wrong_data(self):
        whole = {"id": 1, "name": "Tea", "cards": [{"stamps": 3}, {"stamps": 4}]}
        self.assertTrue(lacks(whole, {"id": 1, "name": "", "cards": [{"stamps": 4}]}))
        self.assertFalse(lacks(whole, {"id": 1, "name": "Tea", "cards": [{"stamps": 5}]}))
        probe = Probe()
        probe.compare("a", 200, whole, whole)
        probe.compare("b", 200, whole, whole | {"name": ""})
        probe.compare("c", 200, whole, whole | {"name": "Coffee"})
        probe.compare("d", 503, whole, {"code": "overloaded"})
        self.assertEqual((probe.right, len(probe.missing), len(probe.wrong)), (1, 2, 1))


if __name__ == "__main__":
    unittest.main()
