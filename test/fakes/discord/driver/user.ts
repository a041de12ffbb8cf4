import { addChannel } from '../population.ts';
import type { User } from '../state.ts';
import type { FakeChannel } from './channel.ts';
import type { Tools } from './tools.ts';

export class FakeUser {
  readonly #tools: Tools;
  readonly user: User;

  constructor(tools: Tools, user: User) {
    this.#tools = tools;
    this.user = user;
  }
  get id(): string {
    return this.user.id;
  }
  get name(): string {
    return this.user.name;
  }
  get mention(): string {
    return `<@${this.id}>`;
  }
  /** Installs the application to the account: its commands work everywhere. */
  install(): void {
    this.user.installed = true;
  }
  /** Refuses direct messages of the bot: 50007. */
  closeDms(): void {
    this.user.dmsOpen = false;
  }
  /** The direct channel with the bot. */
  dm(): FakeChannel {
    const { world } = this.#tools;
    const known = [...world.channels.values()].find(
      (one) =>
        one.type === 1 && one.recipients.includes(this.user) && one.recipients.includes(world.bot),
    );
    const channel = known ?? addChannel(world, { type: 1, recipients: [this.user, world.bot] });
    return this.#tools.channel(channel);
  }
  /** A direct channel with somebody else, where the bot is not. */
  dmWith(other: FakeUser): FakeChannel {
    const recipients = [this.user, other.user];
    return this.#tools.channel(addChannel(this.#tools.world, { type: 1, recipients }));
  }
}
