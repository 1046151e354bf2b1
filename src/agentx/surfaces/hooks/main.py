"""The program behind `agentx-hook`, started as `python -I -S main.py --harness NAME`.

Python compiles a script anew at every start and only caches what it imports. So
this file does nothing but find the package and hand over; and whatever happens,
the agent CLI sees exit code 0.
"""

import sys


def main() -> None:
    """Capture one hook call and leave."""
    try:
        sys.path.insert(0, __file__.rpartition("/agentx/surfaces/")[0])
        from agentx.surfaces.hooks.capture import capture

        capture(sys.argv[1:])
    except BaseException:
        pass
    finally:
        import os

        # Nothing is left to flush, and taking the interpreter down in order costs 2 ms.
        os._exit(0)


if __name__ == "__main__":
    main()
