"""What idle sessions cost: memory of the control plane for each, and workers. Prints a Markdown table.

Usage: idle.py PID SESSIONS, with libpq's variables for the connection.
"""
import asyncio
import pathlib
import subprocess
import sys

import psycopg

LIMIT_KIB = 64
AT_ONCE = 50


def resident(pid: int) -> int:
    """KiB that a process holds."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def workers(pid: int) -> int:
    """Its worker processes, spares among them."""
    found = subprocess.run(["pgrep", "-c", "-P", str(pid), "pintail-worker"], capture_output=True, text=True, check=False)
    return int(found.stdout or 0)


async def opened(count: int, mode: str) -> list[psycopg.AsyncConnection]:
    """Sessions that are authenticated and do nothing."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one() -> psycopg.AsyncConnection:
        async with turn:
            return await psycopg.AsyncConnection.connect(sslmode=mode)

    return await asyncio.gather(*(one() for _ in range(count)))


async def main() -> int:
    pid, count = int(sys.argv[1]), int(sys.argv[2])
    worst = 0.0
    print("| idle sessions | KiB each | workers before | workers after |")
    print("|---|---|---|---|")
    for mode in ("require", "disable"):
        # What the first sessions leave behind is the server's, not theirs.
        for session in await opened(100, mode):
            await session.close()
        await asyncio.sleep(2)
        before, spare = resident(pid), workers(pid)
        sessions = await opened(count, mode)
        await asyncio.sleep(2)
        each = (resident(pid) - before) / count
        worst = max(worst, each)
        print(f"| {count}, {'TLS' if mode == 'require' else 'plain text'} | {each:.1f} | {spare} | {workers(pid)} |", flush=True)
        for session in sessions:
            await session.close()
        await asyncio.sleep(2)
    if worst > LIMIT_KIB:
        print(f"more than {LIMIT_KIB} KiB each", file=sys.stderr)
        return 1
    return 0


sys.exit(asyncio.run(main()))
