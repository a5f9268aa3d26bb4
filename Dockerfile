# docker build -t stcsim . && docker run --rm stcsim gemm --arch a100 --m 1024 --n 8192 --k 1024 --sparsity 2:4
FROM debian:12 AS build
COPY . /stcsim
RUN apt-get update && apt-get install -y --no-install-recommends make ca-certificates && make -C /stcsim archive && \
    mkdir /archive && tar -C /archive --strip-components=1 -xf /stcsim/build-archive/stcsim-*.tar.gz
# The program needs nothing of an image; commands that are written in Python (`evidence`, `fit`, ...) need python3.
FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3 && rm -r /var/lib/apt/lists
COPY --from=build /archive /usr
USER nobody
WORKDIR /tmp
ENTRYPOINT ["stcsim"]
