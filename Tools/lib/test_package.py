"""Tests of the computed parts of a package: manual pages, units, the list of components, and the reading of unit files."""

import json
import os
import unittest

import package_man
import package_sbom
from package_root import Unit
from package_tree import UNITS, Unfit, packaged_unit

DEPLOY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "deploy")


def command(name, **parts):
    return {"commandName": name, "abstract": "Do it.", **parts}


def pages_of(*commands, **parts):
    return package_man.pages({"command": command("tea", subcommands=list(commands), **parts)}, "1.0.0", "2026-11-25")


class ContainerTests(unittest.TestCase):
    def test_the_image_is_built_without_data_and_builds(self):
        with open(os.path.join(DEPLOY, "..", "..", ".dockerignore"), encoding="utf-8") as file:
            self.assertLessEqual({".build*", ".git", "data", "**/*.key"}, set(file.read().split()))


class ManualTests(unittest.TestCase):
    def test_each_command_has_a_page_and_help_has_none(self):
        made = pages_of(command("pot", subcommands=[command("fill")]), command("help"), command("secret", shouldDisplay=False))
        self.assertEqual(sorted(made), ["tea-pot-fill.1", "tea-pot.1", "tea.1"])
        self.assertIn(".BR tea\\-pot (1)", made["tea.1"])
        self.assertNotIn("secret", made["tea.1"])
        with self.assertRaises(ValueError):
            pages_of(command("pot"), command("pot"))

    def test_nothing_of_the_text_is_taken_for_roff(self):
        page = pages_of(discussion=".so /etc/passwd\n'br\nC:\\new --data `x` ~ ^")["tea.1"]
        for line in ("\\&.so /etc/passwd", "\\(aqbr", "C:\\enew \\-\\-data \\(gax\\(ga \\(ti \\(ha"):
            self.assertIn(line, page.splitlines())

    def test_examples_are_kept_line_by_line_and_exit_codes_become_a_list(self):
        examples, codes = "EXAMPLES\n  All:\n    tea --a\n    tea --b", "EXIT CODES\n  0   done\n  130, 143  ended\n      by a signal"
        page = pages_of(discussion=f"{examples}\n\n{codes}")["tea.1"]
        self.assertIn(".SH EXAMPLES\nAll:\n.RS 4\n.nf\ntea \\-\\-a\ntea \\-\\-b\n.fi\n.RE\n.SH EXIT CODES\n.TP\n.B 0\ndone\n", page)
        self.assertIn(".B 130, 143\nended\nby a signal\n", page)

    def test_an_option_says_its_names_value_and_default(self):
        option = {"kind": "option", "names": [{"kind": "short", "name": "o"}, {"kind": "long", "name": "out"}], "valueName": "file",
                  "preferredName": {"kind": "long", "name": "out"}, "abstract": "Where to.", "defaultValue": "-", "isOptional": True}
        page = pages_of(arguments=[option])["tea.1"]
        self.assertIn("[\\fB\\-\\-out\\fR \\fIfile\\fR]", page)
        self.assertIn(".TP\n\\fB\\-o, \\-\\-out\\fR \\fIfile\\fR\nWhere to.\nDefault: \\-.\n", page)


class UnitTests(unittest.TestCase):
    STAYS = "User=greentea\nGroup=greentea\nRemoveIPC=yes\nRestrictSUIDSGID=yes\n"

    def test_the_package_has_its_own_paths(self):
        made = packaged_unit("[Service]\nExecStart=/usr/local/bin/greentea serve\n" + self.STAYS)
        self.assertEqual(made, "[Service]\nExecStart=/usr/bin/greentea serve\n" + self.STAYS)
        self.assertEqual(packaged_unit("[Timer]\nOnCalendar=daily\n"), "[Timer]\nOnCalendar=daily\n")
        with self.assertRaises(Unfit):
            packaged_unit("[Service]\nExecStart=/usr/local/sbin/greentea\n" + self.STAYS)

    def test_every_unit_has_a_user_that_stays(self):
        for name in UNITS:
            with open(os.path.join(DEPLOY, name), encoding="utf-8") as file:
                packaged_unit(file.read())
        # These units must be refused. With DynamicUser=, systemd makes up the user, and closes the user's data folder to every tool outside
        # the unit.
        for text in ("DynamicUser=yes\n", "DynamicUser=yes\n" + self.STAYS, "User=root\n", self.STAYS.replace("Group=greentea\n", "")):
            with self.assertRaises(Unfit):
                packaged_unit("[Service]\n" + text)

    def test_full_backups_are_sent_where_increments_are(self):
        for name, other in (("backup", "increment"), ("increment", "backup")):
            with open(os.path.join(DEPLOY, f"greentea-{name}.service"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("--through", text)
            self.assertIn(f"greentea-{other}.service", text)

    def test_the_user_is_created_as_the_package_creates_it(self):
        with open(os.path.join(DEPLOY, "debian", "postinst"), encoding="utf-8") as file:
            made = file.read()
        self.assertIn("adduser --quiet --system --group --home /var/lib/greentea --no-create-home", made)
        for name in ("greentea.service", "RUNBOOK.md"):
            with open(os.path.join(DEPLOY, name), encoding="utf-8") as file:
                self.assertIn("adduser --system --group --home /var/lib/greentea --no-create-home greentea", file.read(), name)

    def test_commands_are_read_as_systemd_reads_them(self):
        unit = Unit(
            "[Service]\n# ExecStart=/bin/false\nLoadCredential=key:/etc/key\n"
            "ExecStart=/bin/sh -c 'echo \\\n    \"$(date +%%Y)\"' ${HOME}/x\n")
        self.assertEqual(unit.commands("ExecStart", {"HOME": "/run"}), [["/bin/sh", "-c", 'echo      "$(date +%Y)"', "/run/x"]])
        self.assertEqual(unit.credentials(), {"key": "/etc/key"})
        with self.assertRaises(KeyError):
            unit.commands("ExecStart", {})

    def test_earlier_backups_go_also_after_one_that_ended_with_1(self):
        with open(os.path.join(DEPLOY, "greentea-backup.service"), encoding="utf-8") as file:
            unit = Unit(file.read())
        # Systemd runs ExecStartPost= only after ExecStart= has ended with 0, but a backup with a damaged picture always ends with 1. So
        # earlier backups must be removed by ExecStopPost=.
        self.assertEqual(unit.commands("ExecStartPost", {}), [])
        self.assertIn("--prune", unit.commands("ExecStopPost", {})[0])
        self.assertEqual(unit.value("TimeoutStopSec"), "infinity")


class BillTests(unittest.TestCase):
    PIN = {"identity": "tea", "location": "https://GitHub.com/Tea/swift-tea.git", "state": {"revision": "0123abcd", "version": "1.2.3"}}

    def test_components_have_package_addresses(self):
        made = package_sbom.swift_component(self.PIN)
        self.assertEqual(made["purl"], "pkg:swift/github.com/Tea/swift-tea@1.2.3")
        self.assertEqual((made["group"], made["name"]), ("github.com/Tea", "swift-tea"))
        branch = package_sbom.swift_component({**self.PIN, "state": {"revision": "0123abcd", "branch": "main"}})
        self.assertEqual(branch["version"], "0123abcd")
        self.assertEqual(package_sbom.debian_component("libz", "1:1.2+b1", "amd64")["purl"], "pkg:deb/debian/libz@1%3A1.2%2Bb1?arch=amd64")

    def test_the_order_of_components_does_not_matter_and_their_versions_do(self):
        swift, debian = package_sbom.swift_component(self.PIN), package_sbom.debian_component("libz", "1", "amd64")
        one, other = package_sbom.bill("1.0.0", 0, [swift, debian]), package_sbom.bill("1.0.0", 0, [debian, swift])
        self.assertEqual(one, other)
        changed = package_sbom.bill("1.0.0", 0, [swift, package_sbom.debian_component("libz", "2", "amd64")])
        self.assertNotEqual(json.loads(one)["serialNumber"], json.loads(changed)["serialNumber"])
        with self.assertRaises(ValueError):
            package_sbom.bill("1.0.0", 0, [swift, swift])


if __name__ == "__main__":
    unittest.main()
