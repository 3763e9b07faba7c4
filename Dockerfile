# The command line with all that it can read, for use beside a Neo4j server (docker-compose.yaml).

FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv --without-pip /opt/ragspine
COPY constraints-image.txt ./
RUN python -m pip --python /opt/ragspine install --no-cache-dir --disable-pip-version-check \
        --require-hashes --no-deps -r constraints-image.txt
COPY pyproject.toml setup.py README.md LICENSE ./
COPY cypher cypher
COPY ragspine_store ragspine_store
COPY ragspine_graph ragspine_graph
RUN python -m pip --python /opt/ragspine install --no-cache-dir --disable-pip-version-check --no-deps .

FROM python:3.11-slim
# What installs packages has no work to do here.
RUN rm -rf /usr/local/lib/python3.11/site-packages/* /usr/local/bin/pip* /usr/local/bin/idle* \
    && useradd --uid 10001 --create-home --shell /usr/sbin/nologin ragspine
COPY --from=build /opt/ragspine /opt/ragspine
ENV PATH=/opt/ragspine/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER ragspine
WORKDIR /documents
ENTRYPOINT ["ragspine-graph"]
CMD ["--help"]
