"""One console a home: the lock says who is first, a local socket lets a second one bring the first to front."""

from hashlib import sha256

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from agent_core.config.home import Home
from agent_core.store.locks import FileLock

RAISE_MS = 2_000


class OneWindow(QObject):
    """A second console raises the first and ends.

    A local server cannot tell who is first: with UserAccessOption a second `listen` on Linux takes the name over from a
    live one and succeeds.
    """

    raise_wanted = Signal()

    def __init__(self, home: Home) -> None:
        super().__init__()
        self._name = "pilothouse-" + sha256(str(home.data.resolve()).encode()).hexdigest()[:16]
        self._lock = FileLock(home.window_lock)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._asked)

    def is_first(self) -> bool:
        """True when this is the home's only console; otherwise the other one was asked to come to front.

        Raises StorageError where the home cannot be written.
        """
        if self._lock.acquire():
            if not self._server.listen(self._name):
                QLocalServer.removeServer(self._name)  # left by a console that died
                self._server.listen(self._name)
            return True
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if socket.waitForConnected(RAISE_MS):
            socket.disconnectFromServer()
        return False

    def close(self) -> None:
        """Let another console be the first."""
        self._server.close()
        self._lock.release()

    def _asked(self) -> None:
        connection = self._server.nextPendingConnection()
        if connection is not None:
            connection.deleteLater()
        self.raise_wanted.emit()
