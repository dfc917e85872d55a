"""`python -m pulse_host` is the command `pulse`."""

from pulse_host.main import entry

if __name__ == "__main__":
    entry()
