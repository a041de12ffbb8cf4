import { createHash } from 'node:crypto';
import type { Core } from '../../src/adapter.ts';
import { CLOSE } from '../../src/api/realtime/contract.ts';
import { realClock, type Clock } from '../../src/async/clock.ts';
import { createLru } from '../../src/async/lru.ts';
import { AppError } from '../../src/errors.ts';
import type { ByteSource, DictatedTranscript } from '../../src/model/message.ts';
import {
  type DictatedRecording,
  type DictationPeer,
  type DictationSession,
  startDictationSession,
} from './dictation-session.ts';
import { DICTATION_LIMITS } from './limits.ts';
import { pageChannel } from './platform.ts';
import type { Profile } from './profiles.ts';
import type { IncomingMessage } from 'node:http';
import { upgradeWebSocket } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import type { Log } from '../../src/telemetry/log.ts';

const sha256Of = async (file: ByteSource): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of file.open()) hash.update(chunk);
  return hash.digest('hex');
};

/** Begins a recording, once the browser is connected. */
type Begin = (peer: DictationPeer) => DictationSession | undefined;

export type Dictations = ReturnType<typeof createDictations>;

/** Creates the live recognition of what people record on the page. */
export const createDictations = (core: Pick<Core, 'openDictation'>, clock: Clock = realClock) => {
  const sessions = new Map<DictationSession, string>();
  /** Each person's last recording, until it is used. */
  const recordings = createLru<string, DictatedRecording>(DICTATION_LIMITS.recordings);

  /** Times that somebody was forgotten: it may happen between a check and the connection. */
  let forgotten = 0;

  const sessionsOf = (memberId: string): DictationSession[] =>
    [...sessions].flatMap(([session, owner]) => (owner === memberId ? [session] : []));

  /** Leaves a person no more than one earlier session, which waits for its last words. */
  const makeRoom = (memberId: string): void => {
    const own = sessionsOf(memberId);
    for (const session of own)
      if (session.isRecording() || session !== own.at(-1)) session.drop(CLOSE.away);
  };

  return {
    /** Rejects where nothing that a member records may be recognised now. */
    open: async ({ platform, id: memberId }: Profile): Promise<Begin> => {
      if (sessions.size >= DICTATION_LIMITS.sessions)
        throw new AppError('rate-limited', 'too many people record');
      const forgottenBefore = forgotten;
      let peer: DictationPeer | undefined;
      let session: DictationSession | undefined;
      const dictation = await core.openDictation({
        member: { platform, id: memberId },
        channel: pageChannel('playground'),
        listener: {
          words: (words) => peer?.send(words),
          ended: () => session?.drop(CLOSE.internal),
        },
      });
      return (connected) => {
        makeRoom(memberId);
        if (sessions.size >= DICTATION_LIMITS.sessions || forgotten !== forgottenBefore) {
          dictation[Symbol.dispose]();
          connected.close(CLOSE.busy);
          return undefined;
        }
        peer = connected;
        const started = startDictationSession({
          peer,
          dictation,
          clock,
          recorded: (recording) => recordings.set(memberId, recording),
          over: () => sessions.delete(started),
        });
        session = started;
        sessions.set(started, memberId);
        return started;
      };
    },
    /** Resolves with the text of a file where it is what a member recorded last, and keeps it no longer. */
    textOf: async (memberId: string, file: ByteSource): Promise<DictatedTranscript | undefined> => {
      const last = recordings.get(memberId);
      if (!last || last.sizeBytes !== file.sizeBytes) return undefined;
      if ((await sha256Of(file)) !== last.sha256) return undefined;
      if (recordings.get(memberId) === last) recordings.delete(memberId);
      return last.text;
    },
    /** Resolves with the text that is kept of a member's last recording. */
    of: async (memberId: string): Promise<DictatedTranscript | undefined> =>
      recordings.get(memberId)?.text,
    /** Drops what is kept of a member, and what is under way. */
    forget: (memberId: string): void => {
      forgotten += 1;
      recordings.delete(memberId);
      for (const session of sessionsOf(memberId)) session.drop(CLOSE.away);
    },
    [Symbol.dispose]: () => {
      for (const session of sessions.keys()) session.drop(CLOSE.away);
    },
  };
};

/** The path on which pages send what is being recorded. */
export const DICTATION_PATH = '/api/dictation';

/** True for a request that begins a connection for a recording. */
export const isDictation = ({ url = '', headers }: IncomingMessage): boolean =>
  url.split('?')[0] === DICTATION_PATH && headers.upgrade?.toLowerCase() === 'websocket';

/** Longest wait for a browser's half of a close. */
const CLOSE_MS = 2_000;

/** Creates the server of the page's WebSocket, which the HTTP server hands its upgrades. */
export const createSocketServer = (): WebSocketServer => {
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    maxPayload: DICTATION_LIMITS.messageBytes,
    perMessageDeflate: false,
    closeTimeout: CLOSE_MS,
  };
  return new WebSocketServer(options);
};

const peerOf = (socket: WebSocket): DictationPeer => ({
  send: (words) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(words));
    if (socket.bufferedAmount > DICTATION_LIMITS.waitingBytes) socket.terminate();
  },
  close: (code) => socket.close(code),
});

/** Creates the handler of `DICTATION_PATH`. */
export const createDictationHandler = (
  dictations: Dictations,
  log: Pick<Log, 'error'>,
): MiddlewareHandler =>
  upgradeWebSocket(
    async (c) => {
      const begin = await dictations.open(c.get('member') as Profile);
      let session: DictationSession | undefined;
      return {
        onOpen: (_, { raw }) => {
          session = begin(peerOf(raw as WebSocket));
        },
        onMessage: ({ data }) => {
          if (typeof data === 'string') session?.text(data);
          else session?.bytes(new Uint8Array(data as ArrayBuffer));
        },
        onClose: () => session?.closed(),
      };
    },
    { onError: (error) => log.error({ err: error }, 'a dictation failed') },
  );
