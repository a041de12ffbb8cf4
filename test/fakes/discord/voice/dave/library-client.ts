import { DAVESession } from '@discordjs/voice';
import type { DaveClient, DaveDriver, DaveGroup, DaveMessage } from './port.ts';

type Told = Parameters<DAVESession['prepareTransition']>[0] &
  Parameters<DAVESession['prepareEpoch']>[0];
type Server = Pick<DaveGroup, 'version' | 'receive'> & Pick<DaveDriver, 'channelId'>;

/**
 * A client played with the wrapper of @discordjs/voice 0.19.2, which is told things in the order of
 * its own `Networking`: a session with the session description, then what the server says.
 */
export class LibraryClient implements DaveClient {
  readonly userId: string;
  readonly dave: DAVESession;
  /** Whom op 11 has told of: the wrapper throws when anybody else is to be added. */
  readonly #connected: Set<string>;
  readonly #group: Server;

  constructor(group: Server, userId: string, connected: Set<string>) {
    this.#connected = connected;
    this.#group = group;
    this.userId = userId;
    this.dave = new DAVESession(group.version, userId, group.channelId, {});
    this.dave.on('keyPackage', (bytes: Buffer) => this.#say({ op: 26, bytes }));
    this.dave.on('invalidateTransition', (id: number) =>
      this.#say({ op: 31, d: { transition_id: id } }),
    );
  }
  /** To be called when the server knows this client: its first key package goes out. */
  describe(): void {
    this.dave.reinit();
  }
  send(message: DaveMessage): void {
    const { dave } = this;
    const d = ('d' in message ? message.d : {}) as unknown as Told;
    const bytes = Buffer.from('bytes' in message ? message.bytes : []);
    if (message.op === 21 && dave.prepareTransition(d)) this.#ready(d.transition_id);
    if (message.op === 22) dave.executeTransition(d.transition_id);
    if (message.op === 24) dave.prepareEpoch(d);
    if (message.op === 25) dave.setExternalSender(bytes);
    if (message.op === 27) {
      const commit = dave.processProposals(bytes, this.#connected);
      if (commit !== undefined) this.#say({ op: 28, bytes: commit });
    }
    if (message.op === 29 || message.op === 30) {
      const { transitionId, success } =
        message.op === 29 ? dave.processCommit(bytes) : dave.processWelcome(bytes);
      if (success && transitionId !== 0) this.#ready(transitionId);
    }
  }
  #ready(id: number): void {
    this.#say({ op: 23, d: { transition_id: id } });
  }
  #say(message: DaveMessage): void {
    this.#group.receive(this.userId, message);
  }
}
