import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Hosts that were asked for. */
  readonly hosts: readonly string[];
}

/** A proxy for HTTP on loopback, which leads to one server whatever host is asked for. */
export const startProxy = async (server: { readonly url: string }): Promise<Proxy> => {
  const hosts: string[] = [];
  const proxy = createServer((request, response) => {
    const { host, pathname } = new URL(request.url ?? '');
    hosts.push(host);
    send(`${server.url}${pathname}`, { headers: request.headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    }).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    hosts,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
};
