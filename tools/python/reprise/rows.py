"""Tables: what commands print as CSV."""
import csv
import io

from .program import Error


def _value(text):
    """A cell: a number where it is one; None for an empty one."""
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Rows(list):
    """A list of dicts, one for each row; `columns` has their names in order."""

    columns: list

    def frame(self):
        """The same as a pandas DataFrame."""
        try:
            import pandas
        except ImportError as e:
            raise Error("pandas is not installed: pip install pandas") from e
        return pandas.DataFrame(list(self), columns=self.columns)


def rows_of(text):
    reader = csv.DictReader(io.StringIO(text))
    rows = Rows({name: _value(cell) for name, cell in row.items()} for row in reader)
    rows.columns = list(reader.fieldnames or [])
    return rows
