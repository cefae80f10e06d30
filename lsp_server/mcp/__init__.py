"""The Model Context Protocol: our answers as tools for agents."""
