# Reprise with what it needs, and nothing of what builds it:
#
#     docker build -t reprise .
#     docker run --rm -v "$PWD:/work" reprise run --check all --module kernel.cu --grid 4 --block 64 --arg buf=zeros:1K
#
# clang stays, as it compiles kernels; binutils names places in host programs. CUDA programs and their libraries are mounted.
FROM debian:trixie AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git make
# what is committed: nothing that was built comes along
COPY .git /src/.git
WORKDIR /src
RUN git reset -q --hard && tools/setup && make deb

FROM debian:trixie-slim
COPY --from=build /src/dist/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb clang binutils \
    && rm -rf /tmp/*.deb /var/lib/apt/lists/* && reprise --version
WORKDIR /work
ENTRYPOINT ["reprise"]
CMD ["help"]
