"""The contracts of the stores as suites of tests, for stores of your own.

Each suite is a class for pytest: inherit from it and give the fixture that it asks for, an empty store.

    from pipelines.store.testing import VectorStoreContract

    class TestMyVectors(VectorStoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            return MyVectors(tmp_path / "vectors", 4)

`GraphStoreContract` and `VectorStoreContract` (for vectors of 4 numbers) ask for `store`, `CatalogContract` for
`catalog`, `ArtifactStoreContract` for `artifacts`. They need pytest and hypothesis (`pip install 'strata-kb[dev]'`).
"""

from pipelines.store.testing.catalog_contract import ArtifactStoreContract, CatalogContract
from pipelines.store.testing.graph_store_contract import GraphStoreContract
from pipelines.store.testing.vector_store_contract import VectorStoreContract

__all__ = ["ArtifactStoreContract", "CatalogContract", "GraphStoreContract", "VectorStoreContract"]
