"""`python -m samapprox` is the command `samapprox`."""

from samapprox.cli.main import main

if __name__ == "__main__":
    main()
