FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings Node itself; the bundled one is for machines with an older Node.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-*

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATABASE_URL=sqlite:/data/dragoman.db \
    SERVICE_DATABASE=/data/service.db \
    SERVICE_MODELS=/data/models
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
    && install -d -o node -g node /data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json main.ts db.ts LICENSE ./
COPY scripts scripts
COPY src src
COPY commands commands
COPY adapters adapters
COPY service service
COPY locales locales
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Reachable from outside, so it starts only with WEB_TOKEN set.
CMD ["node", "--max-semi-space-size=4", "--no-wasm-loop-unrolling", "scripts/run.mjs", "main.ts"]
