import type { DAVESession } from '@discordjs/voice';
import { createDaveGroup } from './group.ts';
import { LibraryClient } from './library-client.ts';
import { createDavePerson, type DavePersonOptions } from './person.ts';
import type { DaveClient, DaveDriver, DaveGroup, DaveGroupOptions, DaveMessage } from './port.ts';

export interface Caller extends Pick<DaveClient, 'userId'> {
  readonly ready: boolean;
  encrypt(packet: Uint8Array): Uint8Array;
  decrypt(packet: Uint8Array, fromId: string): Uint8Array | undefined;
}

/** A client that the library plays. */
export interface LibraryCaller extends Caller {
  /** The wrapper of the library. */
  readonly dave: DAVESession;
}

type Server = Pick<DaveGroup, 'version' | 'receive'> & Pick<DaveDriver, 'channelId'>;

interface Wire {
  readonly userId: string;
  readonly down: DaveMessage[];
  readonly up: DaveMessage[];
  readonly client: DaveClient;
}

export const PACKET = Buffer.from('7801020304050607', 'hex');

export const hears = (listener: Caller, packet: Uint8Array, speaker: Caller): boolean => {
  const heard = listener.decrypt(packet, speaker.userId);
  return heard !== undefined && PACKET.equals(heard);
};

const byLibrary = (client: LibraryClient): LibraryCaller => ({
  userId: client.userId,
  dave: client.dave,
  get ready() {
    return client.dave.session?.ready === true || client.dave.protocolVersion === 0;
  },
  encrypt: (packet) => client.dave.encrypt(Buffer.from(packet)),
  decrypt: (packet, fromId) => client.dave.decrypt(Buffer.from(packet), fromId) ?? undefined,
});

/**
 * A group and its clients with wires between them: what is said arrives in the order of each wire,
 * but only when it is let through, so that any order between the wires can be played.
 */
export class Call {
  readonly group: DaveGroup & DaveDriver;
  readonly callers = new Map<string, Caller>();
  /** Whom the library has heard of by op 11. */
  readonly #met = new Set<string>();
  readonly #wires = new Map<string, Wire>();

  constructor(options: Partial<DaveGroupOptions> = {}) {
    this.group = createDaveGroup({ channelId: '927310423890473011', ...options });
  }
  join(userId: string, options: DavePersonOptions = {}): Caller {
    const up: DaveMessage[] = [];
    const person = createDavePerson(this.#server({ up }), userId, options);
    return this.#connect<Caller>({ userId, up, down: [], client: person }, person);
  }
  joinByLibrary(userId: string): LibraryCaller {
    const up: DaveMessage[] = [];
    const client = new LibraryClient(this.#server({ up }), userId, this.#met);
    const caller = this.#connect({ userId, up, down: [], client }, byLibrary(client));
    client.describe();
    return caller;
  }
  /** A client that knows nothing of end-to-end encryption. */
  joinOpenly(userId: string): void {
    this.group.connect({ userId, send: () => undefined }, { dave: false });
  }
  leave(userId: string): void {
    this.#wires.delete(userId);
    this.callers.delete(userId);
    this.group.disconnect(userId);
  }
  /** Lets one message through, from any wire that has one; false when there is none. */
  deliver(choice: number): boolean {
    const due = [...this.#wires.values()].flatMap((wire) => [
      { queue: wire.down, pass: (message: DaveMessage) => wire.client.send(message) },
      { queue: wire.up, pass: (message: DaveMessage) => this.group.receive(wire.userId, message) },
    ]);
    const full = due.filter(({ queue }) => queue.length > 0);
    const chosen = full[choice % full.length];
    const message = chosen?.queue.shift();
    if (message !== undefined) chosen?.pass(message);
    return message !== undefined;
  }
  /** Lets everything through. */
  settle(): void {
    for (let count = 0; this.deliver(0); count += 1)
      if (count > 10_000) throw new Error('the clients never come to rest');
  }
  /** Who cannot hear whom, and who sends what the channel is not to carry. */
  faults(encrypted = true): string[] {
    const callers = [...this.callers.values()];
    return callers.flatMap((speaker) => [
      ...(PACKET.equals(speaker.encrypt(PACKET)) === encrypted
        ? [`${speaker.userId} sends what is ${encrypted ? 'open' : 'encrypted'}`]
        : []),
      ...callers
        .filter((other) => other !== speaker && !hears(other, speaker.encrypt(PACKET), speaker))
        .map((listener) => `${listener.userId} does not hear ${speaker.userId}`),
    ]);
  }

  #server(wire: Pick<Wire, 'up'>): Server {
    const { group } = this;
    return {
      channelId: group.channelId,
      version: group.version,
      receive: (_userId, message) => wire.up.push(message),
    };
  }
  #connect<Kind extends Caller>(wire: Wire, caller: Kind): Kind {
    const { userId } = wire;
    this.#wires.set(userId, wire);
    this.callers.set(userId, caller);
    this.#met.add(userId);
    this.group.connect({ userId, send: (message) => wire.down.push(message) });
    return caller;
  }
}
