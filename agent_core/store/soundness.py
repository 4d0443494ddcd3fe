"""Whether a home's database can be used, looked at from outside: there, whole, and of a version that is known."""

from contextlib import closing

from agent_core.config.home import Home
from agent_core.model.errors import StorageError
from agent_core.store.database import open_read_only
from agent_core.store.faults import storage_faults
from agent_core.store.heads import HeadLog
from agent_core.store.migrate import check_schema


def check_database(home: Home) -> str:
    """What the database is, in words. Raises StorageError where it is gone, damaged, newer, or not ours. Reads only."""
    path = home.database
    if not path.exists():
        recorded = len({head.session for head in HeadLog(home.heads).read()})
        if recorded:
            raise StorageError(f"{path} is gone, although {recorded} histories were recorded in it")
        return "none yet"
    with storage_faults(path, "open"), closing(open_read_only(path)) as connection:
        number = check_schema(connection, path)
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise StorageError(f"{path} is damaged: {' '.join(str(found).split())}")
    return f"{path}, schema {number}"
