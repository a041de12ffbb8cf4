import { type LibraryListener, followSockets } from './sockets.ts';
/**
 * The inside of @discordjs/voice 0.19 that hearing needs: its receiver has no sequence numbers, opens every
 * packet, and passes encrypted ones on as sound, so packets are taken from its sockets instead. Nothing
 * but this and `sockets.ts` knows that it has an inside.
 */
import {
  NetworkingStatusCode,
  type DAVESession,
  type Networking,
  type VoiceConnection,
} from '@discordjs/voice';
import type { Clock } from '../../../src/async/clock.ts';

/** The library's own session, with what it hides of its state. */
export interface DaveSession extends Pick<
  DAVESession,
  | 'session'
  | 'protocolVersion'
  | 'lastTransitionId'
  | 'reinitializing'
  | 'recoverFromInvalidTransition'
> {
  readonly pendingTransitions: ReadonlyMap<number, number>;
}

export interface LibraryInternals extends Disposable {
  /** Of the packets between us and the voice server; undefined while there is no session. */
  key(): Uint8Array | undefined;
  /** The end-to-end encryption; undefined while there is none. */
  dave(): DaveSession | undefined;
}

export const attachInternals = (
  connection: VoiceConnection,
  listener: LibraryListener,
  clock: Clock,
): LibraryInternals => {
  let networking: Networking | undefined;
  let followed: Disposable | undefined;

  const change = (): void => {
    const { state } = connection;
    const next = 'networking' in state ? state.networking : undefined;
    if (next === networking) return;
    followed?.[Symbol.dispose]();
    networking = next;
    followed = next && followSockets(connection, next, listener, clock);
    listener.renewed();
  };
  connection.on('stateChange', change);
  change();

  const ready = () => {
    const state = networking?.state;
    return state?.code === NetworkingStatusCode.Ready ||
      state?.code === NetworkingStatusCode.Resuming
      ? state
      : undefined;
  };
  return {
    key: () => ready()?.connectionData.secretKey,
    dave: () => ready()?.dave as DaveSession | undefined,
    [Symbol.dispose]: () => {
      connection.off('stateChange', change);
      followed?.[Symbol.dispose]();
    },
  };
};
