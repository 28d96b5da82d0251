# Run by gdb (rperf-top --inject): loads a small object into a process, which asks the VM for a job (inject.c).
#
# No Ruby is run here, and nothing is called unless that is safe: each thread is looked at, and as long as one of them is in
# the allocator, the loader or a fork, whose locks it may hold, the process goes on and is tried again. The call is made in
# a thread that is in a system call, while all others stand still. Says "inject: ok", "inject: busy WHY" or "inject: failed
# WHY"; the process is stopped for the milliseconds that a try takes.
import re
import time

import gdb

TRIES = 100
PAUSE_S = 0.05
FRAMES = 32
LOCKED = re.compile(r"alloc|free|arena|memalign|mmap_chunk|sysmalloc|trim|fork|^_?_?dl[a-z_]|tls_get|atexit|pthread_create")
LOCKED_LIBRARY = re.compile(r"/(ld-|lib(jemalloc|tcmalloc|mimalloc|hoard))")
SYSTEM_CALLS = {"x86-64": (2, b"\x0f\x05"), "aarch64": (4, b"\x01\x00\x00\xd4")}


def locked():
    """The reason why the selected thread must not stand still for long, or None."""
    frame, count = gdb.newest_frame(), 0
    while frame is not None and count < FRAMES:
        library = gdb.solib_name(frame.pc()) or ""
        if LOCKED_LIBRARY.search(library):
            return library
        if LOCKED.search(frame.name() or ""):
            return frame.name()
        try:
            frame, count = frame.older(), count + 1
        except gdb.error:
            return None  # further out there is no code of the C library any more
    return None


def in_system_call():
    frame = gdb.newest_frame()
    bytes_back, instruction = SYSTEM_CALLS[frame.architecture().name().split(":")[-1]]
    try:
        return gdb.selected_inferior().read_memory(frame.pc() - bytes_back, bytes_back).tobytes() == instruction
    except gdb.error:
        return False


def attempt(path):
    gdb.execute("sharedlibrary /(libc|ld-|libpthread|lib.*malloc|libhoard)[^/]*$", to_string=True)
    chosen = None
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        why = locked()
        if why:
            return "busy " + why
        if chosen is None and in_system_call():
            chosen = thread
    if chosen is None:
        return "busy no thread is in a system call"
    chosen.switch()
    gdb.execute("set scheduler-locking on")
    handle = int(gdb.parse_and_eval('((void *(*)(const char *, int))dlopen)("%s", 2)' % path))
    return "ok" if handle else "failed dlopen"


def inject(pid, path):
    said = "failed"
    for _ in range(TRIES):
        gdb.execute("attach %d" % pid, to_string=True)
        start = time.monotonic()
        try:
            said = attempt(path)
        except gdb.error as error:
            said = "failed %s" % error
        finally:
            gdb.execute("set scheduler-locking off")
            gdb.execute("detach", to_string=True)
        if not said.startswith("busy"):
            break
        time.sleep(PAUSE_S)
    print("inject: %s (stopped for %.0f ms)" % (said, 1e3 * (time.monotonic() - start)))


for setting in ("auto-solib-add off", "confirm off", "unwindonsignal on", "print thread-events off", "pagination off"):
    gdb.execute("set " + setting)
