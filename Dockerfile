# One image for every process; PROCESS says which it is: all, api or worker. Of the tests it keeps the gateways' stand-ins alone
# (tefo gateway stand-in).
FROM node:26-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund \
  && npm run build --if-present \
  && npm prune --omit=dev --no-audit --no-fund \
  && mkdir kept \
  && cp --parents test/gateways/stand-in*.ts test/gateways/*/*.ts kept \
  && rm -rf test bench \
  && mv kept/test . && rmdir kept \
  && find test -name '*.test.ts' -delete \
  && node scripts/types.cjs

FROM node:26-slim
ENV NODE_ENV=production \
    PROCESS=all \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
# A worker has no listener; that it runs is all that can be asked of it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "if (process.env.PROCESS !== 'worker') fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--require", "./scripts/guard.cjs", "--max-old-space-size=512", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "src/bin/serve.ts"]
