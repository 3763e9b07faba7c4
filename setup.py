"""Where the packages lie; all else stands in pyproject.toml.

The folder of Cypher files is imported as `ragspine_cypher`, which a table of settings can only say
together with a list of every package.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["ragspine_store*", "ragspine_graph*"]), "ragspine_cypher"],
    package_dir={"ragspine_cypher": "cypher"},
)
