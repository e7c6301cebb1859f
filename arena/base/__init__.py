"""The ground floor of arena: text, files and fields that come from outside, each read and shown in one way."""
