import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Has a server listen on loopback; the end cuts what is connected. */
export const listen = async (server: Server, wantedPort = 0) => {
  await new Promise<void>((resolve) => void server.listen(wantedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Serves HTTP on loopback, and notes the path of each request. */
export const serve = async (listener: RequestListener) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  return { ...(await listen(server)), asked };
};
