"""Child processes that run with few rights and never outlive the process that started them."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from app.local.account import Account

_LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if _LINUX else None

# Postgres and its tools get this environment and nothing else: no secret and no setting of ours.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class Rights:
    """What a child runs as: `account` to drop to (None: as we are), and whether it may enter any folder.

    `searching` keeps the one capability CAP_DAC_READ_SEARCH, so that data below root's home works although the
    account cannot enter that folder. It lets Postgres read files, never write them.
    """

    account: Account | None = None
    searching: bool = False

    def command(self, arguments: Sequence[str], death_signal: signal.Signals) -> list[str]:
        """Return the command to execute for `arguments`, through `setpriv` where a capability is kept."""
        if self.account is None or not self.searching:
            return list(arguments)
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            raise ConfigurationError("the program setpriv is missing")
        # setpriv sets the death signal after it changed the user: the kernel clears it at that change.
        return [
            setpriv,
            f"--reuid={self.account.uid}",
            f"--regid={self.account.gid}",
            "--clear-groups",
            "--inh-caps=+dac_read_search",
            "--ambient-caps=+dac_read_search",
            f"--pdeathsig={death_signal.name.removeprefix('SIG')}",
            "--",
            *arguments,
        ]

    def options(self, death_signal: signal.Signals) -> dict[str, Any]:
        """Return the keyword arguments of `subprocess` that go with `command`."""
        options: dict[str, Any] = {"start_new_session": True, "stdin": subprocess.DEVNULL}
        if self.account is not None and not self.searching:
            options |= {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}
        # Python runs the hook after the change of user, so the signal survives it.
        options["preexec_fn"] = dying_with_parent(death_signal)
        return options

    def start(self, arguments: Sequence[str], log: int, cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a server whose output goes to the file descriptor `log`. It gets SIGINT when this process dies."""
        command = self.command(arguments, signal.SIGINT)
        options = self.options(signal.SIGINT)
        try:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=cwd, env=env, **options)  # noqa: S603 - ours
        except (OSError, subprocess.SubprocessError) as error:
            raise _cannot_start(arguments[0], error) from error

    def run(self, arguments: Sequence[str], *, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, at most `timeout` seconds, and return its exit code and output."""
        command = self.command(arguments, signal.SIGTERM)
        options = self.options(signal.SIGTERM)
        output: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        try:
            options |= {"cwd": "/", "env": ENVIRONMENT, "timeout": timeout, "check": False}
            return subprocess.run(command, **output, **options)  # noqa: S603, PLW1510 - our own commands, checked by callers
        except (OSError, subprocess.SubprocessError) as error:
            raise _cannot_start(arguments[0], error) from error

    def can_enter(self, folder: Path) -> bool:
        """Tell whether a child with these rights can enter `folder`, by trying."""
        with suppress(ConfigurationError):
            return self.run(["ls", "-d", f"{folder}/."], timeout=10).returncode == 0
        return False


def dying_with_parent(death_signal: signal.Signals) -> Callable[[], None]:
    """Return a hook for the forked child: it gets `death_signal` when its parent dies, however that happens.

    The kernel ties the signal to the *thread* that forked, so start such a child from the main thread only.
    """
    parent = os.getpid()

    def ask_for_signal() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, int(death_signal))
            if os.getppid() != parent:  # it died before we asked
                os._exit(1)

    return ask_for_signal


def stop(child: subprocess.Popen[bytes], *steps: tuple[signal.Signals, float]) -> None:
    """Send each signal in turn and wait its seconds, until `child` has ended. Ends with SIGKILL at the latest."""
    for number, seconds in steps:
        if child.poll() is not None:
            return
        child.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(seconds)
    if child.poll() is None:
        child.kill()
        child.wait()


def _cannot_start(program: str, error: Exception) -> ConfigurationError:
    return ConfigurationError(f"cannot run {program}: {error}")
