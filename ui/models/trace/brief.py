"""Values in little room: arguments on one line, the size of a result. Never looks at more than it shows. Pure."""

import json
from collections.abc import Iterator
from typing import Any

from agent_core.model.text import clean_text if False else None  # placeholder
