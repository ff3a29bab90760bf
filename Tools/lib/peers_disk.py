"""Measures the disk alone: the time until four more kibibytes are durable."""

import os
import time

import peers_work

BYTES = 4_096
COUNT = 500


def flush_times(folder):
    """Appends and flushes again and again, and returns the time of each flush."""
    path = os.path.join(folder, "flushes")
    times = []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        began_all = time.perf_counter()
        for _ in range(COUNT):
            began = time.perf_counter()
            os.write(descriptor, b"\7" * BYTES)
            os.fdatasync(descriptor)
            times.append((time.perf_counter() - began) * 1e6)
        return peers_work.Load(times, [COUNT], time.perf_counter() - began_all)
    finally:
        os.close(descriptor)
        os.remove(path)


def file_system(folder):
    """The type of the file system that a folder is on, as the kernel names it."""
    folder = os.path.realpath(folder)
    best = ("", "unknown")
    with open("/proc/mounts") as mounts:
        for line in mounts:
            _, place, kind, *_ = line.split()
            inside = folder == place or folder.startswith(place.rstrip("/") + "/")
            if inside and len(place) >= len(best[0]):
                best = (place, kind)
    return best[1]
