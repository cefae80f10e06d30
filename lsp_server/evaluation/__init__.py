"""`premise-suggest eval`: measures the retriever, the sources of tactics and the search together."""
