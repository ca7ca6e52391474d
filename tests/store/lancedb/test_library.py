"""Tests of importing lancedb without libraries that a folder of tables does not need."""

import subprocess
import sys
from importlib.util import find_spec

import pytest


def printed_by(code: str) -> list[str]:
    """The words that a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_catalog_models_are_defined_on_first_use() -> None:
    code = """
import sys
from pipelines.store.lancedb.library import import_lancedb
import_lancedb()
import lance_namespace
models = "lance_namespace_urllib3_client.models.list_tables_response"
print(models in sys.modules)
made = lance_namespace.ListTablesResponse(tables=["a"])
print(made.tables[0], isinstance(made, lance_namespace.ListTablesResponse), models in sys.modules)
from lance_namespace_urllib3_client.models import ListTablesResponse, QueryTableRequest
print(type(made) is ListTablesResponse, QueryTableRequest.__name__)
"""
    assert printed_by(code) == ["False", "a", "True", "True", "True", "QueryTableRequest"]


def test_leaving_out_data_frames_leaves_no_import_hooks() -> None:
    code = """
import sys
from pipelines.store.lancedb.library import import_lancedb, leave_out_data_frames
leave_out_data_frames()
import_lancedb()
ours = [one for one in sys.meta_path if type(one).__module__.startswith("pipelines")]
print(ours == [], import_lancedb() is sys.modules["lancedb"])
import overrides
print(overrides.__file__ is not None)
"""
    assert printed_by(code) == ["True", "True", "True"]


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_pandas_is_imported_on_demand() -> None:
    code = """
import sys
from pipelines.store.lancedb.library import import_lancedb, leave_out_data_frames
leave_out_data_frames()
import_lancedb()
print("pandas" in sys.modules)
import pyarrow
print(pyarrow.table({"a": [1]}).to_pandas().a.sum(), pyarrow.table(__import__("pandas").DataFrame({"a": [2]}))["a"][0])
"""
    assert printed_by(code) == ["False", "1", "2"]


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_pandas_imported_before_stays_imported() -> None:
    code = """
import pandas
from pipelines.store.lancedb.library import import_lancedb, leave_out_data_frames
leave_out_data_frames()
import_lancedb()
import pyarrow
print(pyarrow.table(pandas.DataFrame({"a": [2]}))["a"][0])
"""
    assert printed_by(code) == ["2"]
