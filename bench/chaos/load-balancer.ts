import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

/** Spreads Slack's requests over the programs in turn. */
export interface LoadBalancer extends AsyncDisposable {
  readonly url: string;
}

/** Time for which a program that did not answer gets nothing. */
const PASSED_OVER_MS = 5_000;

/**
 * A request goes to the next program where there is no connection; one that was sent is not sent again,
 * as it may have had its effect: Slack repeats it.
 *
 * @param addresses those of all programs that were started and not ended
 */
export const startLoadBalancer = async (
  addresses: () => readonly string[],
): Promise<LoadBalancer> => {
  const silent = new Map<string, number>();
  let turn = 0;

  const order = (): readonly string[] => {
    const nowMs = performance.now();
    const all = addresses();
    const good = all.filter((each) => (silent.get(each) ?? 0) <= nowMs);
    const from = good.length > 0 ? good : all;
    turn += 1;
    return from.map((_, at) => from[(at + turn) % from.length]!);
  };

  const forward = (
    [first, ...others]: readonly string[],
    asked: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): void => {
    if (first === undefined) return void response.writeHead(502).end();
    const { method, url, headers } = asked;
    const passed = request(new URL(url ?? '/', first), { method, headers, agent: false });
    let isConnected = false;
    passed.once('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    passed.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    passed.once('error', () => {
      if (response.destroyed || response.headersSent) return void response.destroy();
      if (isConnected) response.writeHead(502).end();
      else forward(others, asked, body, response);
    });
    response.once('close', () => {
      if (response.writableFinished) return;
      if (!response.headersSent) silent.set(first, performance.now() + PASSED_OVER_MS);
      passed.destroy();
    });
    passed.end(body);
  };

  const server = createServer((asked, response) => {
    buffer(asked).then(
      (body) => forward(order(), asked, body, response),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
