# Two stages: what builds the environment stays out of what runs.
FROM python:3.12.11-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/memoranda
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN /opt/memoranda/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY domain ./domain
COPY commands ./commands
COPY projections ./projections
COPY workers ./workers
COPY read_api ./read_api
COPY ops ./ops
COPY docs/verify.py ./docs/verify.py
RUN /opt/memoranda/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

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
