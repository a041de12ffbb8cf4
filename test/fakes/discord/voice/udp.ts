import { createSocket, type RemoteInfo } from 'node:dgram';
import { ssrcOf } from './rtp.ts';

/** IP discovery (reference, "IP Discovery"): type, length of the rest, SSRC, address, port. */
const DISCOVERY_BYTES = 74;
const SSRC_AT = 4;
const ADDRESS_AT = 8;
const KEEP_ALIVE_BYTES = 8;

export interface UdpServer {
  readonly port: number;
  send(datagram: Buffer, to: { readonly address: string; readonly port: number }): void;
  /** True: a black hole, both ways. */
  drop(dropped: boolean): void;
  stop(): void;
}

const isQuestion = (datagram: Buffer): boolean =>
  datagram.length === DISCOVERY_BYTES &&
  datagram.readUInt16BE(0) === 1 &&
  datagram.readUInt16BE(2) === DISCOVERY_BYTES - 4;

const answerDiscovery = (request: Buffer, from: RemoteInfo): Buffer => {
  const answer = Buffer.alloc(DISCOVERY_BYTES);
  answer.writeUInt16BE(2, 0);
  answer.writeUInt16BE(DISCOVERY_BYTES - 4, 2);
  request.copy(answer, SSRC_AT, SSRC_AT, ADDRESS_AT);
  answer.write(from.address, ADDRESS_AT, 'latin1');
  answer.writeUInt16BE(from.port, DISCOVERY_BYTES - 2);
  return answer;
};

/** `onLoss` hears of the packets that were swallowed. */
export const startUdp = async (on: {
  /** Whether it is the number of a session: others are told no address. */
  knows(ssrc: number): boolean;
  packet(ssrc: number, datagram: Buffer): void;
  loss(ssrc: number): void;
}): Promise<UdpServer> => {
  const socket = createSocket('udp4');
  let dropped = false;
  let stopped = false;
  const send: UdpServer['send'] = (datagram, to) => {
    if (!dropped && !stopped) socket.send(datagram, to.port, to.address);
  };
  socket.on('message', (datagram, from) => {
    const ssrc = ssrcOf(datagram);
    if (dropped) return ssrc === undefined ? undefined : on.loss(ssrc);
    if (isQuestion(datagram)) {
      if (on.knows(datagram.readUInt32BE(SSRC_AT))) send(answerDiscovery(datagram, from), from);
      return;
    }
    if (datagram.length === KEEP_ALIVE_BYTES) return send(datagram, from);
    if (ssrc !== undefined) on.packet(ssrc, datagram);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    send,
    drop: (value) => {
      dropped = value;
    },
    stop: () => {
      if (!stopped) socket.close();
      stopped = true;
    },
  };
};
