import type { Clock } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import { createServiceKey } from '../../src/api/keys.ts';
import type { RecognitionUpdate } from '../../src/api/realtime/contract.ts';
import type { OpenSocket, SocketListener } from '../../src/api/realtime/socket.ts';
import { serviceError } from '../../src/api/service-error.ts';
import {
  createFakeRecognition,
  type FakePeer,
  type RecognitionHabits,
} from './realtime-recognition.ts';

/** What one connection meets. */
export interface WireFault {
  /** Status of the answer to the upgrade. */
  readonly refuse?: number;
  /** The connection breaks after so much audio. */
  readonly cutAfterMs?: number;
  /** The service ends the session by a fatal error after so much audio. */
  readonly fatalAfterMs?: number;
}

export interface ServerSession {
  message(text: string): void;
  readonly heardMs: number;
  /** The settings that the client sent last. */
  readonly settings?: RecognitionUpdate['session'] | undefined;
  closed?(): void;
}

export type ServeSession = (peer: FakePeer) => ServerSession;

const LATENCY_MS = 20;

export const brokenConnection = (): AppError =>
  new AppError('unavailable', 'the connection broke with 1006', { retryable: true });

/** Joins clients to sessions of a service without a network, in the clock's time. */
export const createWire = (
  clock: Clock,
  faults: WireFault[] = [],
  serve: ServeSession | RecognitionHabits = {},
) => {
  const open = new Set<() => void>();
  let opened = 0;
  const sessions: ServerSession[] = [];
  const serveSession =
    typeof serve === 'function' ? serve : (peer: FakePeer) => createFakeRecognition(peer, serve);

  const openSocket: OpenSocket = (_path, listener: SocketListener) => {
    const fault = faults.shift() ?? {};
    opened += 1;
    let isUp = true;
    let session: ServerSession | undefined;
    const later = (run: () => void): void => {
      clock.after(LATENCY_MS, () => {
        if (isUp) run();
      });
    };
    const leave = (): void => {
      isUp = false;
      open.delete(cut);
      session?.closed?.();
    };
    const cut = (): void => {
      leave();
      listener.closed(brokenConnection());
    };
    open.add(cut);
    const peer: FakePeer = {
      send: (message) => {
        const text = JSON.stringify(message);
        later(() => listener.message(text));
      },
      close: (code) =>
        later(() => {
          leave();
          listener.closed(code === 1000 ? undefined : brokenConnection());
        }),
    };
    later(() => {
      if (fault.refuse !== undefined) {
        leave();
        listener.closed(serviceError(fault.refuse, undefined, '', createServiceKey('svck:wire')));
        return;
      }
      session = serveSession(peer);
      sessions.push(session);
      listener.opened();
    });
    return {
      send: (message) => {
        const text = JSON.stringify(message);
        later(() => {
          session?.message(text);
          const heardMs = session?.heardMs ?? 0;
          if (heardMs >= (fault.cutAfterMs ?? Infinity)) cut();
          else if (heardMs >= (fault.fatalAfterMs ?? Infinity))
            peer.send({ type: 'error', code: 'out_of_credit', message: 'no', fatal: true });
        });
      },
      hold: () => undefined,
      close: leave,
      drop: leave,
    };
  };
  return {
    openSocket,
    faults,
    /** Breaks all connections. */
    cut: () => {
      for (const one of open) one();
    },
    /** The settings of each session, in the order of the connections. */
    settings: () => sessions.map(({ settings }) => settings),
    /** Audio that each session got, in the order of the connections. */
    heardMs: () => sessions.map(({ heardMs }) => heardMs),
    get opened() {
      return opened;
    },
    /** Connections that are not closed. */
    get open() {
      return open.size;
    },
  };
};
