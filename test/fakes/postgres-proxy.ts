import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Type of a message of PostgreSQL's protocol that carries a notification. */
const NOTIFICATION = 'A'.charCodeAt(0);
/** Bytes of a message's type, and of its length, which counts itself. */
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

/** A way to a PostgreSQL server that fails as networks and poolers do. */
export interface PostgresProxy extends AsyncDisposable {
  /** The address of a database through the proxy. */
  readonly url: string;
  /** Breaks all connections, and makes no more until `mend`. */
  readonly cut: () => void;
  /** Carries nothing any more, although all connections stand and new ones are made, until `mend`. */
  readonly stall: () => void;
  readonly mend: () => void;
  /** Number of the connections to it. */
  readonly open: () => number;
}

export interface PostgresProxyOptions {
  /** True for one that loses notifications, as a pooler in transaction mode does. Default: false. */
  readonly losesNotifications?: boolean;
  /** Delay of each answer. Default: 0. */
  readonly delayMs?: number;
}

/** Creates the function that takes the notifications from what a server sends. */
const createFilter = () => {
  let rest = Buffer.alloc(0);
  return (piece: Buffer): Buffer => {
    rest = Buffer.concat([rest, piece]);
    const kept: Buffer[] = [];
    while (rest.length >= TYPE_BYTES + LENGTH_BYTES) {
      const size = TYPE_BYTES + rest.readUInt32BE(TYPE_BYTES);
      if (rest.length < size) break;
      if (rest[0] !== NOTIFICATION) kept.push(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    return Buffer.concat(kept);
  };
};

/** Starts a proxy before a database. */
export const startPostgresProxy = async (
  databaseUrl: string,
  { losesNotifications = false, delayMs = 0 }: PostgresProxyOptions = {},
): Promise<PostgresProxy> => {
  const to = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let isCut = false;
  let isStalled = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(to.port), to.hostname);
    clients.add(near);
    near.on('close', () => clients.delete(near));
    const filter = losesNotifications ? createFilter() : (piece: Buffer): Buffer => piece;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on('data', (piece) => far.write(piece));
    far.on('data', (piece: Buffer) => {
      const kept = filter(piece);
      if (delayMs === 0) near.write(kept);
      else setTimeout(() => near.destroyed || near.write(kept), delayMs);
    });
    if (isStalled) for (const socket of [near, far]) socket.pause();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    mend: () => {
      isCut = false;
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    open: () => clients.size,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
