"""Programs of their own: browsers, terminals, light installs, and the workers that still run."""
