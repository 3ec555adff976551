"""Trained models beside what is proven; PyTorch is imported where it is used."""
