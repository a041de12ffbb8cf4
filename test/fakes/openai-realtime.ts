import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';

const RATE_HZ = 24_000;
const SHORTEST_COMMIT = RATE_HZ / 10;
/** Louder samples are speech. */
const LOUD = 1_000;

export interface FakeRealtimeOptions {
  /** The form of settings that it takes. Default: today's. */
  readonly form?: 'today' | 'beta';
  /** True for a server that wants its model in the address; others refuse it there. */
  readonly needsModel?: boolean;
  /** True for a server that upgrades nothing. */
  readonly refuses?: boolean;
  /** What it does once a session has had this much sound, in ms. */
  readonly fault?: {
    readonly afterMs: number;
    readonly kind: 'close' | 'error' | 'garbage' | 'failed' | 'silent';
  };
}

interface Message {
  readonly type: string;
  readonly audio?: string;
  readonly session?: {
    readonly type?: string;
    readonly input_audio_format?: string;
    readonly turn_detection?: object | null;
    readonly audio?: {
      readonly input: {
        readonly format: { readonly rate: number };
        readonly turn_detection: { readonly silence_duration_ms: number } | null;
      };
    };
  };
}

/**
 * The realtime transcription of the OpenAI API: hears `word` for each stretch of sound between pauses, with its
 * number, and sends it in two deltas.
 */
export const createFakeRealtime = ({
  form = 'today',
  needsModel = false,
  refuses = false,
  fault,
}: FakeRealtimeOptions = {}) => {
  const server = new WebSocketServer({ noServer: true });
  /** Settings of each session that had sound. */
  const sessions: { readonly settings: Message[]; soundMs: number }[] = [];
  let tries = 0;
  let taken = 0;

  const serve = (socket: WebSocket): void => {
    const session: (typeof sessions)[number] = { settings: [], soundMs: 0 };
    const send = (event: object): void => socket.send(JSON.stringify(event));
    let buffered = 0;
    let hasSpeech = false;
    let silent = 0;
    let items = 0;
    let pauseMs: number | undefined;

    const commit = (): void => {
      items += 1;
      const id = `item_${items}`;
      send({ type: 'input_audio_buffer.committed', item_id: id });
      const text = hasSpeech ? `word ${items}` : '';
      buffered = 0;
      hasSpeech = false;
      setImmediate(() => {
        const of = (what: string) => `conversation.item.input_audio_transcription.${what}`;
        if (fault?.kind === 'failed') return send({ type: of('failed'), item_id: id, error: {} });
        send({ type: of('delta'), item_id: id, delta: text.slice(0, 3) });
        send({ type: of('delta'), item_id: id, delta: text.slice(3) });
        send({ type: of('completed'), item_id: id, transcript: text });
      });
    };
    const breakOff = (): void => {
      if (fault?.kind === 'close') socket.close();
      else if (fault?.kind === 'garbage') socket.send('not json');
      else if (fault?.kind === 'error')
        send({ type: 'error', error: { code: 'server_error', message: 'secret words' } });
    };
    const hear = (bytes: Buffer): void => {
      for (let at = 0; at + 1 < bytes.length; at += 2) {
        buffered += 1;
        const isLoud = Math.abs(bytes.readInt16LE(at)) > LOUD;
        silent = isLoud ? 0 : silent + 1;
        hasSpeech ||= isLoud;
        const isPause = pauseMs !== undefined && silent >= (pauseMs * RATE_HZ) / 1_000;
        if (hasSpeech && isPause) commit();
      }
      session.soundMs += (500 * bytes.length) / RATE_HZ;
      if (fault && session.soundMs >= fault.afterMs) breakOff();
    };
    const set = (message: Message): void => {
      const isToday = message.type === 'session.update';
      const input = message.session?.audio?.input;
      const isRight = isToday
        ? message.session?.type === 'transcription' && input?.format.rate === RATE_HZ
        : message.session?.input_audio_format === 'pcm16';
      if (isToday !== (form === 'today') || !isRight)
        return send({ type: 'error', error: { code: 'unknown_parameter', message: 'session' } });
      const found = isToday ? input?.turn_detection : message.session?.turn_detection;
      pauseMs = (found as { silence_duration_ms: number } | null)?.silence_duration_ms;
      session.settings.push(message);
      taken += 1;
      send({ type: isToday ? 'session.updated' : 'transcription_session.updated' });
    };

    send({ type: 'session.created' });
    socket.on('message', (data: Buffer) => {
      if (fault?.kind === 'silent' && session.soundMs >= fault.afterMs) return;
      const message = JSON.parse(data.toString()) as Message;
      if (message.type === 'input_audio_buffer.append') {
        if (session.soundMs === 0) sessions.push(session);
        hear(Buffer.from(message.audio ?? '', 'base64'));
      } else if (message.type === 'input_audio_buffer.commit') {
        const code = 'input_audio_buffer_commit_empty';
        if (buffered < SHORTEST_COMMIT) send({ type: 'error', error: { code, message: 'small' } });
        else commit();
      } else set(message);
    });
  };

  return {
    sessions,
    /** Upgrades that were asked for. */
    tries: (): number => tries,
    /** Settings that it took. */
    taken: (): number => taken,
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      tries += 1;
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
      const isRight =
        !refuses &&
        pathname === '/v1/realtime' &&
        searchParams.get('intent') === 'transcription' &&
        searchParams.has('model') === needsModel;
      if (isRight) server.handleUpgrade(request, socket, head, serve);
      else socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    },
  };
};
