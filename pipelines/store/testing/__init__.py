"""Contract test suites for stores, including your own.

Each suite is a pytest class: inherit from it, and define the fixture that it uses, an empty store.

    from pipelines.store.testing import VectorStoreContract

    class TestMyVectors(VectorStoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            return MyVectors(tmp_path / "vectors", 4)

`GraphStoreContract` and `VectorStoreContract` (for vectors of dimension 4) use the fixture `store`, `CatalogContract`
uses `catalog`, and `ArtifactStoreContract` uses `artifacts`. They require pytest and hypothesis
(`pip install 'strata-kb[dev]'`).
"""

from pipelines.store.testing.catalog_contract import ArtifactStoreContract, CatalogContract
from pipelines.store.testing.graph_store_contract import GraphStoreContract
from pipelines.store.testing.vector_store_contract import VectorStoreContract

__all__ = ["ArtifactStoreContract", "CatalogContract", "GraphStoreContract", "VectorStoreContract"]
