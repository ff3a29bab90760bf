"""One process of UmaDB clients, with a thread for each. The Python that has the `umadb` package runs it.

Its argument is a task as JSON. It connects, prints `ready`, reads two moments of the monotonic clock, works between them, and
prints as JSON the microseconds of each thing done, how many each lane did, and when the last was over.
"""

import json
import random
import sys
import threading
import time

import peers_work
import umadb  # Must be imported on the main thread, because it installs a signal handler.

PAYLOAD = b"\7" * peers_work.PAYLOAD_BYTES
CONNECT_TRIES = 100


def connect(url):
    for _ in range(CONNECT_TRIES):
        try:
            client = umadb.Client(url)
            client.head()
            return client
        except Exception:  # The server is not up yet; its own error type is not the same in every version.
            time.sleep(0.05)
    raise SystemExit("UmaDB: the server does not answer")


def query(tag):
    return umadb.Query([umadb.QueryItem(types=[peers_work.EVENT_TYPE], tags=[tag])])


def append(client, task, lane, number):
    """Appends a lane's next events, unless their tag already exists.

    Returns the seconds that the store took: what it costs Python to make the events is in the rate only."""
    tag = peers_work.tag(lane, number)
    tags = [tag, peers_work.shop(lane, number)]
    events = [umadb.Event(peers_work.EVENT_TYPE, PAYLOAD, tags) for _ in range(task["events"])]
    condition = umadb.AppendCondition(query(tag))
    began = time.perf_counter()
    client.append(events, condition)
    return time.perf_counter() - began


def read(client, task, lane, number):
    """Reads the events of a randomly chosen append, and fails if one is missing."""
    del lane, number
    writer = random.randrange(len(task["counts"]))
    wanted = query(peers_work.tag(writer, random.randrange(task["counts"][writer])))
    began = time.perf_counter()
    found = sum(len(event.event.data) > 0 for event in client.read(wanted))
    if found != task["events"]:
        raise SystemExit(f"UmaDB: {found} events found, {task['events']} appended")
    return time.perf_counter() - began


def work(step, client, task, lane, moments, times):
    begin, end = moments
    time.sleep(max(0, begin - time.monotonic()))
    while True:
        times.append(step(client, task, lane, len(times)) * 1e6)
        if time.monotonic() >= end:
            return


def load(task):
    """Runs many lanes at once, each with its own client."""
    clients = [connect(task["url"]) for _ in task["lanes"]]
    times = [[] for _ in clients]
    print("ready", flush=True)
    moments = [float(word) for word in sys.stdin.readline().split()]
    step = {"append": append, "read": read}[task["step"]]
    lanes = zip(clients, task["lanes"], times)
    threads = [threading.Thread(target=work, args=(step, client, task, lane, moments, own)) for client, lane, own in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    end = time.monotonic()
    print(json.dumps({"microseconds": sum(times, []), "counts": [len(own) for own in times], "end": end}))


def check(task):
    """Prints whether a repeated append is refused, and the number of stored events."""
    client = connect(task["url"])
    try:
        append(client, task, 0, 0)
        is_refused = False
    except umadb.IntegrityError:
        is_refused = True
    print(json.dumps({"isRefused": is_refused, "stored": client.head() or 0}))


def read_all(task):
    client = connect(task["url"])
    began = time.perf_counter()
    found = sum(len(event.event.data) > 0 for event in client.read())
    print(json.dumps({"found": found, "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    task = json.loads(sys.argv[1])
    {"append": load, "read": load, "check": check, "readAll": read_all}[task["step"]](task)
