// The image's health check. It is loaded every few seconds, so it loads nothing but Node's own client.
import { get } from 'node:http';

const { OPS_PORT = '9090' } = process.env;
get({ port: OPS_PORT, path: '/healthz', timeout: 2_500 }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
)
  .on('timeout', () => process.exit(1))
  .on('error', ({ message }) => {
    console.error(message);
    process.exit(1);
  });
