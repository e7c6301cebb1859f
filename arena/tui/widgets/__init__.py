"""Widgets: each draws one snapshot and posts messages upward."""
