"""Programs that misbehave: the first argument says how."""
import os
import sys
import time


def forks():
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)


def prints():
    while True:
        print("line" * 1000)


def wanders():
    os.chdir("/")
    sys.path[:] = []
    sys.stdout = None
    os.environ.clear()


def crashes():
    import ctypes

    ctypes.string_at(8)


def two_gpus():
    import torch

    torch.zeros(4, device="cuda:0")
    if torch.cuda.device_count() < 2:
        raise RuntimeError(f"needs 2 GPUs, found {torch.cuda.device_count()}")


def crashes_compiler():
    import signal

    import cutlass.cute as cute

    @cute.jit
    def traced():
        os.kill(os.getpid(), signal.SIGSEGV)

    cute.compile(traced)


def removes_its_folder():
    import shutil

    shutil.rmtree(os.getcwd())
    with open("left_behind", "w", encoding="utf-8") as file:
        file.write("its folder is gone")


def ignores_signals():
    import signal

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


def daemonises():
    """As a service does: two forks with a session between them, no file kept, no signal heard."""
    import signal

    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            os.closerange(0, 256)
            os.chdir("/")
            time.sleep(600)
        os._exit(0)
    os.wait()


def flees():
    """A chain of processes, each of which starts the next one and ends."""
    if os.fork() == 0:
        os.setsid()
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            if os.fork() != 0:
                os._exit(0)
            time.sleep(0.001)


def multiplies():
    while True:
        if os.fork() == 0:
            time.sleep(600)


def hoards():
    held = []
    while True:
        held.append(bytearray(os.urandom(1 << 20) * 64))


WAYS = {
    "two_gpus": two_gpus, "crashes_compiler": crashes_compiler, "hoards": hoards,
    "endless": lambda: time.sleep(600), "prints": prints, "exits": lambda: sys.exit(3), "leaves": lambda: os._exit(4), "forks": forks,
    "crashes": crashes, "missing": lambda: __import__("no_such_module_at_all"), "wanders": wanders, "raises": lambda: 1 / 0,
    "closes": lambda: os.closerange(3, 64), "removes_its_folder": removes_its_folder, "ignores_signals": ignores_signals, "daemonises": daemonises,
    "flees": flees, "multiplies": multiplies,
    "breaks_compiler": lambda: __import__("cutlass.cute").cute.compile(lambda: undefined_name),  # noqa: F821
}

if __name__ == "__main__":
    WAYS[sys.argv[1]]()
