import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { PATHS } from '../../src/api/contract.ts';
import { speakMessage, speechUpdate } from '../../src/api/realtime/contract.ts';
import { encode } from '../../src/audio/codec/encode.ts';
import { createFakeRecognition, type RecognitionHabits } from './realtime-recognition.ts';
import type { WireFault } from './realtime-wire.ts';

/** What one connection of speech does. */
export interface SpeechFault extends Pick<WireFault, 'refuse'> {
  /** The connection breaks after so much audio. */
  readonly cutAfterBytes?: number;
  /** Nothing is said to a text. */
  readonly isSilent?: boolean;
  /** An error is said in place of audio. */
  readonly says?: { readonly code: string; readonly fatal: boolean };
  /** Audio comes as base64, whatever the client wishes. */
  readonly isBase64?: boolean;
}

export interface FakeSockets {
  /** What the next connections of recognition meet, one each. */
  readonly recognition: WireFault[];
  /** What all sessions of recognition do beside their work. */
  habits: RecognitionHabits;
  readonly speech: SpeechFault[];
  /** Texts that were spoken over sockets. */
  readonly spoken: string[];
  /** Upgrades so far. */
  readonly opened: number;
  /** Connections that are open. */
  readonly open: number;
  /** Breaks all connections. */
  cut(): void;
}

const refuse = (socket: Duplex, status: number): void => {
  const body = JSON.stringify({ context: ['fake'], code: status, name: 'ErrFake', error: 'no' });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Serves both WebSocket paths as the service does, with faults. */
export const serveFakeSockets = (
  server: Server,
  knows: (authorization: string | undefined) => boolean,
  sound: (text: string) => AsyncIterable<Float32Array>,
): FakeSockets => {
  const upgrader = new WebSocketServer({ noServer: true });
  const sockets = new Set<WebSocket>();
  let opened = 0;

  const recognise = (socket: WebSocket, fault: WireFault): void => {
    const send = (message: object): void => socket.send(JSON.stringify(message));
    const session = createFakeRecognition(
      { send, close: (code) => socket.close(code) },
      fake.habits,
    );
    socket.on('message', (data: Buffer) => {
      session.message(data.toString('utf8'));
      if (session.heardMs >= (fault.cutAfterMs ?? Infinity)) socket.terminate();
      else if (session.heardMs >= (fault.fatalAfterMs ?? Infinity))
        send({ type: 'error', code: 'out_of_credit', message: 'no', fatal: true });
    });
  };

  const speak = (socket: WebSocket, fault: SpeechFault): void => {
    let setting: ReturnType<typeof speechUpdate.parse>['session'] | undefined;
    let isBusy = false;
    const send = (message: object): void => socket.send(JSON.stringify(message));
    const say = async (text: string): Promise<void> => {
      if (!setting) throw new Error('no session.update before tts.speak');
      if (isBusy) throw new Error('two texts at once');
      fake.spoken.push(text);
      if (fault.isSilent) return;
      if (fault.says) return send({ type: 'error', message: text, ...fault.says });
      isBusy = true;
      let sentBytes = 0;
      send({ type: 'tts.audio.start' });
      for await (const chunk of encode(setting.format, setting.sample_rate ?? 0, sound(text))) {
        if (sentBytes > (fault.cutAfterBytes ?? Infinity)) return socket.terminate();
        sentBytes += chunk.length;
        if (fault.isBase64 || setting.audio_transport === 'base64_json')
          send({ type: 'tts.audio.chunk', audio: Buffer.from(chunk).toString('base64') });
        else socket.send(chunk);
      }
      isBusy = false;
      send({ type: 'tts.audio.done' });
      send({ type: 'tts.usage', characters: text.length });
    };
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as { type: string };
      if (message.type === 'session.update') setting = speechUpdate.parse(message).session;
      else say(speakMessage.parse(message).text).catch(() => socket.terminate());
    });
  };

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    opened += 1;
    stream.on('error', () => undefined);
    if (!knows(request.headers.authorization)) return refuse(stream, 401);
    const isSpeech = request.url === PATHS.realtimeSpeech;
    if (!isSpeech && request.url !== PATHS.realtimeRecognition) return refuse(stream, 404);
    const fault = (isSpeech ? fake.speech : fake.recognition).shift() ?? {};
    if (fault.refuse !== undefined) return refuse(stream, fault.refuse);
    upgrader.handleUpgrade(request, stream, head, (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      if (isSpeech) speak(socket, fault);
      else recognise(socket, fault);
    });
  });

  const fake: FakeSockets = {
    recognition: [],
    habits: {},
    speech: [],
    spoken: [],
    get opened() {
      return opened;
    },
    get open() {
      return sockets.size;
    },
    cut: () => {
      for (const socket of sockets) socket.terminate();
    },
  };
  return fake;
};
