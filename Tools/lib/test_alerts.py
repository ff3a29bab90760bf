"""The alerts of Tools/deploy on made-up series: a failure of a small service is not missed, and a service that is well is silent."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ALERTS = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "deploy", "alerts.yaml"))
HOURS = 3
DAY_SECONDS = 86_400


def every(minutes, total=60 * HOURS):
    """A counter that rises by one each time that so many minutes have passed, with a value a minute."""
    return " ".join(str(minute // minutes) for minute in range(total + 1))


def constant(value):
    return f"{value}x{60 * HOURS}"


def name_of(metric, **labels):
    """A series of one instance, as promtool writes it."""
    text = ",".join(f'{key}="{value}"' for key, value in {"instance": "shop", "job": "greentea", **labels}.items())
    return f"{metric}{{{text}}}"


@unittest.skipUnless(shutil.which("promtool"), "no promtool on PATH: apt-get install prometheus")
class AlertTests(unittest.TestCase):
    def firing(self, series):
        """The alerts that fire after three hours: promtool expects none, and names those that come."""
        with open(ALERTS, encoding="utf-8") as file:
            names = re.findall(r"- alert: (\w+)", file.read())
        test = {
            "rule_files": [ALERTS], "evaluation_interval": "1m",
            "tests": [{
                "interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series.items()],
                "alert_rule_test": [{"eval_time": f"{HOURS}h", "alertname": name, "exp_alerts": []} for name in names]}]}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "test.yaml")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(test, file)
            done = subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        found = set(re.findall(r"alertname: (\w+), time:", said))
        self.assertEqual(done.returncode != 0, bool(found), said)
        return found

    def messages(self, sent, failed):
        return {name_of("greentea_text_messages_total", result=result): values for result, values in (
            ("sent", sent), ("refused", constant(0)), ("unreachable", failed), ("tooMany", constant(0)), ("failed", constant(0)))}

    def test_a_failed_message_every_twenty_minutes_fires(self):
        self.assertEqual(self.firing(self.messages(constant(0), every(20))), {"GreenTeaTextMessagesFail"})
        self.assertEqual(self.firing(self.messages(every(10), every(20))), {"GreenTeaTextMessagesFail"})

    def test_messages_that_leave_are_silent(self):
        self.assertEqual(self.firing(self.messages(every(20), constant(0))), set())
        self.assertEqual(self.firing(self.messages(constant(0), constant(0))), set(), "and so are none")

    def test_an_internal_error_every_twenty_minutes_fires(self):
        def problems(code, values):
            return {name_of("greentea_problems_total", code=code): values}
        self.assertEqual(self.firing(problems("internal", every(20))), {"GreenTeaInternalErrors"})
        self.assertEqual(self.firing(problems("internal", constant(7))), set(), "it ends an hour after the last one")
        self.assertEqual(self.firing(problems("overloaded", f"0+120x{60 * HOURS}")), {"GreenTeaRefusals"})
        self.assertEqual(self.firing(problems("overloaded", every(20))), set(), "clients try again")

    def test_sign_ins_whose_message_does_not_leave_lead_to_the_messages(self):
        refused = {name_of("greentea_problems_total", code="overloaded"): f"0+600x{60 * HOURS}"}
        self.assertEqual(self.firing({**refused, **self.messages(constant(0), f"0+600x{60 * HOURS}")}), {"GreenTeaTextMessagesFail"})
        both = self.firing({**refused, **self.messages(constant(0), f"0+300x{60 * HOURS}")})
        self.assertEqual(both, {"GreenTeaTextMessagesFail", "GreenTeaRefusals"}, "others are refused as well")
        self.assertEqual(self.firing({**refused, **self.messages(f"0+300x{60 * HOURS}", constant(0))}), {"GreenTeaRefusals"})

    def cluster(self, **values):
        """A node of a cluster of three that is well, but for these values."""
        well = {"nodes": 3, "writer": 0, "without_writer": 0, "term": 7, "engine_silent_seconds": 0.2, "hindered": 0}
        return {name_of(f"greentea_cluster_{name}"): constant(value) for name, value in {**well, **values}.items()}

    def test_a_cluster_that_is_well_and_a_server_without_one_are_silent(self):
        self.assertEqual(self.firing(self.cluster()), set())
        self.assertEqual(self.firing(self.cluster(nodes=0, term=0, engine_silent_seconds=0)), set())

    def test_each_loss_in_a_cluster_fires_its_alert(self):
        for name, value, alert in [
                ("nodes", 2, "NodeLost"), ("without_writer", 1, "WithoutWriter"), ("engine_silent_seconds", 31, "EngineSilent"),
                ("hindered", 1, "NodeHindered")]:
            self.assertEqual(self.firing(self.cluster(**{name: value})), {"GreenTeaCluster" + alert})

    def backups(self, **ages):
        """Notes of so many days ago, seen from the end of the three hours."""
        return {name_of(f"greentea_{note}_timestamp_seconds"): constant(int(HOURS * 3_600 - days * DAY_SECONDS))
                for note, days in {"backup": 0, "full_backup": 0, "key_backup": 0, "drill": 0, **ages}.items() if days is not None}

    def test_full_backups_that_fail_while_increments_succeed_fire(self):
        self.assertEqual(self.firing(self.backups(full_backup=9.2)), {"GreenTeaFullBackupOld"})
        self.assertEqual(self.firing(self.backups(full_backup=None)), {"GreenTeaFullBackupOld"})
        self.assertEqual(self.firing(self.backups(full_backup=8.9)), set())
        self.assertEqual(self.firing(self.backups(backup=2.2, full_backup=6)), {"GreenTeaBackupOld"})

    def test_keys_that_nobody_copies_fire(self):
        position = {name_of("greentea_log_position"): constant(7)}
        self.assertEqual(self.firing({**position, **self.backups(key_backup=35.2)}), {"GreenTeaKeyBackupOld"})
        self.assertEqual(self.firing({**position, **self.backups(key_backup=None)}), {"GreenTeaKeyBackupOld"})
        self.assertEqual(self.firing({**position, **self.backups(key_backup=34.8)}), set())


if __name__ == "__main__":
    unittest.main()
