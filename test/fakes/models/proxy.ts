import { request as send } from 'node:http';
import { serve } from '../serve.ts';

export interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Hosts that were asked for. */
  readonly hosts: readonly string[];
}

/** A proxy for HTTP on loopback, which leads to one server whatever host is asked for. */
export const startProxy = async (server: { readonly url: string }): Promise<Proxy> => {
  const hosts: string[] = [];
  const proxy = await serve((request, response) => {
    const { host, pathname } = new URL(request.url ?? '');
    hosts.push(host);
    send(`${server.url}${pathname}`, { headers: request.headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    }).end();
  });
  return { ...proxy, hosts };
};
