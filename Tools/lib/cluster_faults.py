#!/usr/bin/env python3
"""Faults of a cluster under load, each with the books afterwards.

    Tools/cluster --faults                            every row of the failure table, in its order
    Tools/cluster --faults --only "etcd leader"       rows whose name has these words
    Tools/cluster --faults --quick                    the ten cheapest
    Tools/cluster --faults --seed 7 --count 100       random faults, one after another

Three members of etcd and three nodes run in network namespaces, so that links can be cut without anybody being told. Customers collect
stamps at all nodes, and repeat every write with its key until its outcome is known. After each fault: every acknowledged stamp stands
once on every node, nothing stands before what was answered earlier, all logs have one root, and no read of a node that is up has failed.
In the end, `greentea-audit verify` finds nothing on any node, the exported logs are equal, and one checkpoint verifies all three.

Prints a row for each fault with the longest time without an acknowledgement. Exits 0 if all is well, 1 if not, 2 if it could not be tried,
77 without network namespaces.
"""

import argparse
import filecmp
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tools", "lib"))

from cluster_load import Load, Readers, open_shop  # noqa: E402
from cluster_rows import QUICK, ROWS  # noqa: E402
from cluster_world import Unmet, World, until  # noqa: E402

def say(text):
    print(text, flush=True)


def parse():
    parser = argparse.ArgumentParser(
        prog="Tools/cluster --faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(ROOT, ".build-release", "release"), help="folder of the release programs")
    parser.add_argument("--only", default="", help="only rows whose name has these words")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK}")
    parser.add_argument("--seed", type=int, help="random faults from this seed")
    parser.add_argument("--count", type=int, default=100, help="how many random faults (100)")
    parser.add_argument("--workers", type=int, default=6, help="customers at a time (6)")
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    return parser.parse_args()


def chosen(options):
    if options.seed is not None:
        choice = random.Random(options.seed)
        return [choice.choice(ROWS) for _ in range(options.count)]
    rows = [row for row in ROWS if options.only in row[0]]
    return rows[:QUICK] if options.quick else rows


def play(world, name, fault, campaign, shop, options, number):
    """One fault under load, and the findings of the books."""
    load, readers = Load(world, campaign, options.workers, f"{options.seed} {number}"), Readers(world, shop)
    findings, began = [], time.monotonic()
    try:
        until(30, lambda: load.books.writes, "the load begins")
        world.revive()
        began = time.monotonic()
        fault(world)
        count = len(load.books.writes)
        until(30, lambda: world.revive() or len(load.books.writes) > count + 5, "writes go on after the fault")
    except (Unmet, OSError, subprocess.SubprocessError) as reason:
        findings += [str(reason), *(f"{node.name}: {node.warnings()}" for node in world.nodes if node.alive()), load.books.last_trouble]
    load.end()
    readers.end()
    try:
        findings += load.check() + readers.failures[:5]
    except Unmet as reason:
        findings.append(str(reason))
    findings += world.findings
    world.findings = []
    gap = load.books.longest_gap(began)
    say(f"{name:<44} {len(load.books.writes):>6} writes {readers.answers:>6} reads   gap {gap:5.1f} s   "
        + ("ok" if not findings else f"{len(findings)} findings"))
    for finding in findings[:10]:
        say(f"    {finding}")
    return findings


def final_check(world):
    """Stops all nodes, and compares what is on their disks."""
    findings, exported = [], []
    for node in world.nodes:
        if node.alive() and (code := node.stop()) != 0:
            findings.append(f"{node.name} ended with {code}: {node.words()}")
        file = os.path.join(world.folder, f"export-{node.name}")
        exported.append(file)
        for words in (["verify"], ["verify", "--checkpoint", os.path.join(world.nodes[0].data, "checkpoint")],
                      ["erasures"], ["export", "--format", "binary", "--output", file]):
            done = subprocess.run(
                [world.program("greentea-audit"), *words, "--data", node.data], capture_output=True, text=True, timeout=300)
            if done.returncode:
                findings.append(f"{' '.join(words)} of {node.name}: {done.returncode} {(done.stdout + done.stderr)[-400:]}")
    if not findings and not all(filecmp.cmp(exported[0], other, shallow=False) for other in exported[1:]):
        findings.append("the exported logs differ")
    return findings


def main():
    options = parse()
    folder, failed, place = tempfile.mkdtemp(prefix="greentea-cluster-"), 0, {}
    try:
        world = World(options.programs, folder)
    except OSError as reason:
        print(f"Tools/cluster --faults: skipped, because network namespaces need root and iproute2: {reason}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        return 77
    try:
        def prepare(node):
            place["shop"], place["campaign"] = open_shop(node, world)

        world.begin(prepare)
        world.campaign = place["campaign"]
        for number, (name, fault) in enumerate(chosen(options)):
            failed += bool(play(world, name, fault, place["campaign"], place["shop"], options, number))
            world.revive()
            world.await_writer(40)
        findings = world.findings + final_check(world)
        failed += bool(findings)
        say(f"{'disks of all nodes':<44} " + ("ok" if not findings else f"{len(findings)} findings"))
        for finding in findings:
            say(f"    {finding}")
    except Unmet as reason:
        print(f"Tools/cluster --faults: {reason}", file=sys.stderr)
        return 2
    finally:
        world.close()
        if options.keep:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    say("all is well" if not failed else f"{failed} rows with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
