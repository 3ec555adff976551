"""`python -m samapprox` is the command `samapprox`."""

from samapprox.cli.main import main

main()
