"""Sets of instances: where they come from and what is known about them."""
