# Two stages: what builds the program stays out of what runs it.
FROM python:3.12.11-slim-bookworm AS build
WORKDIR /src
COPY requirements.lock requirements-runtime.lock ./
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements.lock \
 && python -m venv /opt/memoranda \
 && /opt/memoranda/bin/pip install --no-cache-dir --require-hashes -r requirements-runtime.lock
COPY pyproject.toml README.md LICENSE ./
COPY docs/verify.py ./docs/verify.py
COPY domain ./domain
COPY commands ./commands
COPY projections ./projections
COPY workers ./workers
COPY read_api ./read_api
COPY ops ./ops
RUN /opt/build/bin/python -m hatchling build -t wheel -d /tmp/wheels \
 && /opt/memoranda/bin/pip install --no-cache-dir --no-deps /tmp/wheels/*.whl

FROM python:3.12.11-slim-bookworm
RUN useradd --system --uid 8420 --home-dir /data --create-home memoranda \
 && chmod 700 /data
COPY --from=build /opt/memoranda /opt/memoranda
ENV PATH=/opt/memoranda/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER memoranda
WORKDIR /data
VOLUME /data
EXPOSE 8420
CMD ["memoranda", "serve"]
