ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings Node itself; the bundled one is for machines with an older Node.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM ${NODE_IMAGE} AS program
# Packages of Debian to add, such as "ffmpeg apertium-eng-spa".
ARG APT_PACKAGES=""
RUN if [ -n "$APT_PACKAGES" ]; then \
      apt-get update \
      && apt-get install -y --no-install-recommends $APT_PACKAGES \
      && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives /var/log/apt /var/log/dpkg.log; \
    fi
ENV NODE_ENV=production \
    DRAGOMAN_IMAGE=true \
    HOST=0.0.0.0 \
    PORT=8080 \
    OPS_PORT=9090 \
    DATABASE_URL=sqlite:/data/dragoman.db \
    SERVICE_DATABASE=/data/service.db \
    SERVICE_MODELS=/data/models
WORKDIR /app
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
    && ln -s /app/scripts/dragoman.sh /usr/local/bin/dragoman \
    && install -d -o node -g node /data
COPY --from=dependencies /app/node_modules node_modules
COPY package.json main.ts db.ts LICENSE ./
COPY scripts scripts
COPY src src
COPY commands commands
COPY adapters adapters
COPY service service
COPY locales locales
RUN install -d -o node -g node node_modules/.cache
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
# The root may be read-only, so what a first start would keep is kept now.
RUN ["node", "scripts/strip-types.mjs"]
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s CMD ["node", "scripts/check-health.mjs"]
# Reachable from outside, so it starts only with WEB_TOKEN set.
ENTRYPOINT ["dragoman"]
CMD ["start"]

# For platforms that mount volumes which belong to root: the volume is given away before anything is started.
FROM program AS root-volume
USER root

FROM program
