"""Network namespaces of one machine, between which links are cut without anybody being told. Used by Tools/cluster --faults."""

import os
import subprocess

# Nobody has it, so that whatever is sent to it is lost on the way.
NOBODY = "02:00:00:00:00:01"


def ip(*words, check=True):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if check and done.returncode:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


class Net:
    """A bridge, and a namespace with one address for each name. This process is on the bridge."""

    def __init__(self, names):
        # Several may run at once: names and addresses have this process's number in them.
        self.tag = f"{os.getpid() % 60_000:x}"
        self.bridge, self.prefix = f"gt{self.tag}", f"10.{77 + os.getpid() % 100}.{os.getpid() // 100 % 250}"
        self.names = list(names)
        self.down = set()
        try:
            ip("link", "add", self.bridge, "type", "bridge")
            ip("link", "set", self.bridge, "up")
            ip("addr", "add", self.prefix + ".254/24", "dev", self.bridge)
            for name in self.names:
                self._add(name)
        except OSError:
            self.close()
            raise

    def _add(self, name):
        space, own, outer = self.space(name), f"e{self.tag}{name}", f"v{self.tag}{name}"
        ip("netns", "add", space)
        ip("link", "add", outer, "type", "veth", "peer", "name", own)
        ip("link", "set", outer, "master", self.bridge)
        ip("link", "set", outer, "up")
        ip("link", "set", own, "netns", space)
        ip("-n", space, "addr", "add", self.address(name) + "/24", "dev", own)
        ip("-n", space, "link", "set", own, "up")
        ip("-n", space, "link", "set", "lo", "up")

    def space(self, name):
        return f"gt{self.tag}{name}"

    def address(self, name):
        return f"{self.prefix}.{1 + self.names.index(name)}"

    def inside(self, name):
        """The words before a command that runs in a namespace."""
        return ["ip", "netns", "exec", self.space(name)]

    def lose(self, sender, receiver):
        """From now on, whatever one sends to the other is lost."""
        ip("-n", self.space(sender), "neigh", "replace", self.address(receiver), "lladdr", NOBODY, "dev", f"e{self.tag}{sender}",
           "nud", "permanent")
        self.down.add((sender, receiver))

    def cut(self, one, others):
        for other in others:
            self.lose(one, other)
            self.lose(other, one)

    def heal(self):
        for sender, receiver in self.down:
            ip("-n", self.space(sender), "neigh", "del", self.address(receiver), "dev", f"e{self.tag}{sender}", check=False)
        self.down.clear()

    def close(self):
        for name in self.names:
            ip("netns", "del", self.space(name), check=False)
            ip("link", "del", f"v{self.tag}{name}", check=False)
        ip("link", "del", self.bridge, check=False)
