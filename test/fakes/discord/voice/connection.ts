import { isIPv4 } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { Json } from '../faults.ts';
import { VoiceClose, VoiceOp } from './codes.ts';
import type { DaveMessage } from './dave/port.ts';
import type { VoiceSession } from './session.ts';

export const ENCRYPTION_MODES = [
  'aead_aes256_gcm_rtpsize',
  'aead_xchacha20_poly1305_rtpsize',
] as const;
/** The only one of them that is spoken here; clients without AES are none of ours. */
const SPOKEN = ENCRYPTION_MODES[0];

export interface VoiceConnectionOptions {
  readonly heartbeatMs: number;
  readonly address: { readonly ip: string; readonly port: number };
  readonly isMuted: () => boolean;
  /** Whether RESUMED comes before what is sent again, or after it. */
  readonly resumedFirst: boolean;
  /** A session, or a close code. */
  identify(socket: WebSocket, d: Json): VoiceSession | number;
  resume(socket: WebSocket, d: Json): VoiceSession | number;
  /** READY is out: what the client is told next. */
  welcome(session: VoiceSession): void;
  /** The version that SESSION_DESCRIPTION tells. */
  daveVersion(session: VoiceSession): number;
  /** SESSION_DESCRIPTION is out. */
  described(session: VoiceSession): void;
  /** It said that it speaks. */
  announced(session: VoiceSession): void;
  dave(session: VoiceSession, message: DaveMessage): void;
  closed(session: VoiceSession, socket: WebSocket, code: number): void;
  timedOut(session: VoiceSession | undefined): void;
}

/** Ops that are taken and change nothing here: video, media, versions, flags, platform. */
const IGNORED: readonly number[] = [12, 14, 15, 16, 18, 20];
const isDaveText = (op: number): op is 23 | 31 => op === 23 || op === 31;
const isDaveBinary = (op: number): op is 26 | 28 => op === 26 || op === 28;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One WebSocket of the voice gateway, version 8, from HELLO to its end. */
export const openVoiceConnection = (socket: WebSocket, options: VoiceConnectionOptions): void => {
  let session: VoiceSession | undefined;
  const timeout = setTimeout(() => {
    socket.close(VoiceClose.SessionTimeout);
    options.timedOut(session);
  }, options.heartbeatMs * 3);
  const send = (op: number, d: unknown): void => socket.send(JSON.stringify({ op, d }));

  const begin = (outcome: VoiceSession | number, resumed: number | undefined): void => {
    if (typeof outcome === 'number') return socket.close(outcome);
    session = outcome;
    if (resumed === undefined) {
      const { ip, port } = options.address;
      send(VoiceOp.Ready, { ssrc: session.ssrc, ip, port, modes: ENCRYPTION_MODES });
      return options.welcome(session);
    }
    if (options.resumedFirst) send(VoiceOp.Resumed, null);
    if (!session.replay(resumed)) return socket.close(VoiceClose.SessionNoLongerValid);
    if (!options.resumedFirst) send(VoiceOp.Resumed, null);
  };

  const select = (known: VoiceSession, d: Json): void => {
    const data = isObject(d['data']) ? d['data'] : {};
    if (d['protocol'] !== 'udp') return socket.close(VoiceClose.UnknownProtocol);
    if (data['mode'] !== SPOKEN) return socket.close(VoiceClose.UnknownEncryptionMode);
    const { address, port } = data;
    const isAddress = typeof address === 'string' && isIPv4(address);
    const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536;
    if (!isAddress || !isPort) return socket.close(VoiceClose.FailedToDecode);
    const first = known.remote === undefined;
    known.remote = { address, port };
    send(VoiceOp.SessionDescription, {
      mode: SPOKEN,
      secret_key: [...known.key],
      audio_codec: 'opus',
      video_codec: null,
      media_session_id: String(known.ssrc),
      dave_protocol_version: options.daveVersion(known),
    });
    if (first) options.described(known);
  };

  const take = (op: number, d: Json): void => {
    if (op === VoiceOp.Heartbeat) {
      timeout.refresh();
      const isHeard = session?.acknowledge(Number(d['seq_ack'])) ?? true;
      if (!isHeard) return socket.close(VoiceClose.FailedToDecode);
      return options.isMuted() ? undefined : send(VoiceOp.HeartbeatAck, { t: d['t'] });
    }
    if (op === VoiceOp.Identify || op === VoiceOp.Resume) {
      if (session !== undefined) return socket.close(VoiceClose.AlreadyAuthenticated);
      return op === VoiceOp.Identify
        ? begin(options.identify(socket, d), undefined)
        : begin(options.resume(socket, d), Number(d['seq_ack'] ?? -1));
    }
    if (session === undefined) return socket.close(VoiceClose.NotAuthenticated);
    if (op === VoiceOp.SelectProtocol) return select(session, d);
    if (op === VoiceOp.Speaking) {
      if (d['ssrc'] === session.ssrc && Number(d['speaking']) > 0) options.announced(session);
      return;
    }
    if (isDaveText(op)) return options.dave(session, { op, d });
    if (!IGNORED.includes(op)) socket.close(VoiceClose.UnknownOpcode);
  };

  const read = (raw: RawData, binary: boolean): void => {
    if (!Buffer.isBuffer(raw)) return socket.close(VoiceClose.FailedToDecode);
    if (binary) {
      const [op = -1] = raw;
      if (session === undefined) return socket.close(VoiceClose.NotAuthenticated);
      if (!isDaveBinary(op)) return socket.close(VoiceClose.UnknownOpcode);
      return options.dave(session, { op, bytes: raw.subarray(1) });
    }
    let payload: unknown;
    try {
      payload = JSON.parse(raw.toString('utf8'));
    } catch {
      return socket.close(VoiceClose.FailedToDecode);
    }
    if (!isObject(payload) || !Number.isInteger(payload['op']) || !isObject(payload['d']))
      return socket.close(VoiceClose.FailedToDecode);
    take(Number(payload['op']), payload['d']);
  };

  socket.on('message', (raw, binary) => {
    // What comes after our close is not heard any more.
    if (socket.readyState === 1) read(raw, binary);
  });
  socket.on('pong', (ping) => session?.pong(ping.toString('latin1')));
  socket.on('error', () => socket.terminate());
  socket.once('close', (code) => {
    clearTimeout(timeout);
    session?.pong();
    if (session !== undefined) options.closed(session, socket, code);
  });
  send(VoiceOp.Hello, { v: 8, heartbeat_interval: options.heartbeatMs });
};
