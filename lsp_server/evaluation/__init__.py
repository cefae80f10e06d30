"""`premise-suggest eval`: the retriever, the sources of tactics and the search put together and counted."""
