# docker build -t stcsim . && docker run --rm stcsim gemm --arch a100 --m 1024 --n 8192 --k 1024 --sparsity 2:4
FROM debian:12 AS build
COPY . /stcsim
RUN apt-get update && apt-get install -y --no-install-recommends make ca-certificates && make -C /stcsim package
FROM debian:12-slim
COPY --from=build /stcsim/build/*.deb /tmp/
RUN apt-get update && apt-get install -y /tmp/*.deb && rm -r /tmp/*.deb /var/lib/apt/lists
USER nobody
WORKDIR /tmp
ENTRYPOINT ["stcsim"]
