"""The vector store in LanceDB."""
