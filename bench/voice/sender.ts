import { createSocket } from 'node:dgram';

/**
 * A process that sends datagrams, so that sending costs the measured one nothing. Each time that it
 * hears back, so many more have arrived.
 */

export interface Batch {
  readonly port: number;
  readonly datagrams: readonly Uint8Array[];
}

export const ACKNOWLEDGED = 32;
const IN_FLIGHT = 96;

if (process.argv[1] === import.meta.filename) {
  const socket = createSocket('udp4');
  let waiting: readonly Uint8Array[] = [];
  let port = 0;
  let sent = 0;
  let arrived = 0;
  const sendMore = (): void => {
    for (; sent < waiting.length && sent - arrived < IN_FLIGHT; sent += 1)
      socket.send(waiting[sent]!, port, '127.0.0.1');
  };
  socket.on('message', () => {
    arrived += ACKNOWLEDGED;
    sendMore();
  });
  process.once('disconnect', () => process.exit());
  process.on('message', (message: Batch | 'go') => {
    if (message === 'go') {
      sendMore();
      return;
    }
    ({ port, datagrams: waiting } = message);
    sent = 0;
    arrived = 0;
    process.send?.('ready');
  });
}
