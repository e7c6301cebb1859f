"""What screens are made of: each draws one snapshot and posts messages upward."""
