# daxlab on CPUs: `docker build -t daxlab .`, then `docker run --rm -v "$PWD:/work" daxlab train --split jump --runs 1`.
FROM python:3.13-slim AS build
COPY . /daxlab
WORKDIR /daxlab
ENV PIP_CONSTRAINT=/daxlab/constraints.txt PIP_BUILD_CONSTRAINT=/daxlab/constraints.txt
RUN python -m venv /opt/daxlab && /opt/daxlab/bin/pip install --no-cache-dir '.[train]'

FROM python:3.13-slim
COPY --from=build /opt/daxlab /opt/daxlab
RUN useradd --create-home --uid 1000 daxlab && mkdir /work && chown daxlab /work
USER 1000
WORKDIR /work
ENV PATH=/opt/daxlab/bin:$PATH
ENTRYPOINT ["daxlab"]
CMD ["--help"]
