# The service as an image: docker build -t diorama . (docs/operating.md says how to run it.)
#
# The build reaches three places and no other host: the registry of BASE_IMAGE, DEBIAN_MIRROR and NPM_REGISTRY. A
# private npm registry is configured with the secret `npmrc`, which no layer keeps.
# BASE_IMAGE is any Debian or Ubuntu with Node 24 and npm, for the architecture that is built.
ARG BASE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${BASE_IMAGE} AS build
ARG NPM_REGISTRY=https://registry.npmjs.org/
WORKDIR /app
COPY . .
# The base has Node 24, so the copy that the lock file brings for other machines is not needed.
RUN --mount=type=secret,id=npmrc,target=/tmp/npmrc \
    NPM_CONFIG_USERCONFIG=/tmp/npmrc npm ci --ignore-scripts --omit=dev --no-audit --no-fund --registry="${NPM_REGISTRY}" \
    && rm -rf node_modules/node-linux-* \
    && node console/build.mjs --required

FROM ${BASE_IMAGE}
ARG DEBIAN_MIRROR=http://deb.debian.org
# Versions are those of the mirror at the time of the build, so that security fixes arrive with a rebuild.
# hadolint ignore=DL3008
RUN find /etc/apt -type f \( -name '*.list' -o -name '*.sources' \) \
      -exec sed -i "s|http://deb.debian.org|${DEBIAN_MIRROR}|g" {} + \
    && apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates python3 tini \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 diorama \
    && useradd --uid 10001 --gid 10001 --create-home --home-dir /data diorama
COPY --from=build /app /app
WORKDIR /data
ENV NODE_ENV=production NODE_NO_WARNINGS=1 HOST=0.0.0.0 PORT=4400 \
    DIORAMA_BASE_URL=http://127.0.0.1:4400 DIORAMA_DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 4400
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# tini forwards signals and collects the processes that agents leave behind.
ENTRYPOINT ["tini", "--", "node", "/app/server/src/main.ts"]
