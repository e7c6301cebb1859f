"""Drawings as text and as images: boards, curves, pieces and colours. No widgets."""
