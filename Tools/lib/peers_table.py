"""The measured figures, round by round, and their printed forms."""

import statistics

import peers_work

NAME_WIDTH = 52
# The first rows of each block: GreenTea's log, and raw LMDB as its upper limit.
FIRST = ("log", "raw LMDB")
HEADER = ("median", "lowest", "highest", "p50", "p99", ": UmaDB", ": raw")
WIDTHS = (12, 12, 12, 10, 10, 9, 9)


class Table:
    """Figures by peer, shape and round."""

    def __init__(self):
        # The figures by (peer, shape, figure), in the order of their first occurrence.
        self.figures = {}

    def add(self, peer, shape, figures):
        for name, value in figures.items():
            self.figures.setdefault((peer, shape, name), []).append(value)

    def median(self, peer, shape, name):
        values = self.figures.get((peer, shape, name))
        return statistics.median(values) if values else None

    def ratio(self, peer, shape, name, to):
        own, other = self.median(peer, shape, name), self.median(to, shape, name)
        return own / other if own is not None and other else None

    def rows(self):
        """The figures as rows for scripts."""
        rows = []
        for (peer, shape, name), values in self.figures.items():
            row = {"peer": peer, "shape": shape, "figure": name, "median": statistics.median(values), "figures": values}
            for key, to in (("toUmaDB", "UmaDB"), ("toRaw", "raw LMDB")):
                ratio = self.ratio(peer, shape, name, to)
                if ratio is not None:
                    row[key] = ratio
            rows.append(row)
        return rows

    def text(self, shapes):
        """The figures as text for people: a block for each shape, and a line for each peer."""
        lines = []
        for shape in shapes:
            what = "1 event" if shape.events == 1 else f"{shape.events} events"
            title = f"{shape.writers} × {shape.events}: writers × events an append (events/s)"
            lines += self._block(title, shape, "events", "append")
            for readers in peers_work.READERS:
                name = f"reads by {readers}"
                lines += self._block(f"reads of {what} by tag, {readers} at once (reads/s)", shape, name, f"read by {readers}")
            lines += self._block("full read (events/s)", shape, "full read", None)
            lines += self._block("full read in place, all bytes touched (events/s)", shape, "full read in place", None)
        return "\n".join(lines)

    def _block(self, title, shape, name, unit):
        found = [peer for peer, of, figure in self.figures if of == str(shape) and figure == name]
        peers = sorted(found, key=lambda peer: (not peer.startswith(FIRST), found.index(peer)))
        if not peers:
            return []
        header = "".join(word.rjust(width) for word, width in zip(HEADER, WIDTHS))
        return ["", title.ljust(NAME_WIDTH) + header] + [self._line(peer, str(shape), name, unit) for peer in peers]

    def _line(self, peer, shape, name, unit):
        values = self.figures[(peer, shape, name)]
        cells = [number(statistics.median(values)), number(min(values)), number(max(values))]
        article = "an" if unit == "append" else "a"
        for part in ("p50", "p99"):
            cells.append(time(self.median(peer, shape, f"{part} of {article} {unit}") if unit else None))
        for to in ("UmaDB", "raw LMDB"):
            ratio = self.ratio(peer, shape, name, to)
            cells.append("" if ratio is None else f"{ratio:.2f}")
        return (f"  {peer}".ljust(NAME_WIDTH) + "".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS))).rstrip()


def number(value):
    return f"{round(value):,}"


def time(microseconds):
    """A time in a unit that people can read."""
    if microseconds is None:
        return ""
    for unit, scale, digits in (("µs", 1, 0), ("ms", 1e3, 1)):
        if microseconds < 1_000 * scale:
            return f"{microseconds / scale:.{digits}f} {unit}"
    return f"{microseconds / 1e6:.2f} s"
