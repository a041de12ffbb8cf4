import { postMessage } from '../posting.ts';
import type { Webhook } from '../state.ts';
import { removeWebhook, updateWebhook } from '../webhooks.ts';
import type { FakeChannel } from './channel.ts';
import type { FakeMessage } from './message.ts';
import type { Tools } from './tools.ts';

export class FakeWebhook {
  readonly #tools: Tools;
  readonly webhook: Webhook;

  constructor(tools: Tools, webhook: Webhook) {
    this.#tools = tools;
    this.webhook = webhook;
  }
  get id(): string {
    return this.webhook.id;
  }
  get name(): string {
    return this.webhook.name;
  }
  /** True for one that the bot made. */
  get ours(): boolean {
    return this.webhook.applicationId !== null;
  }
  delete(): void {
    removeWebhook(this.#tools.world, this.webhook);
  }
  /** People give it another channel of the server; what it has written stays where it is. */
  move(to: FakeChannel): void {
    const { world } = this.#tools;
    updateWebhook(world, this.webhook);
    this.webhook.channel = to.state;
    updateWebhook(world, this.webhook);
  }
  /** Posts through it as somebody else's integration does. */
  say(content: string, username = this.name): FakeMessage {
    const { world } = this.#tools;
    const { id, channel, creator } = this.webhook;
    const webhook = { id, name: username, avatarUrl: undefined };
    return this.#tools.message(postMessage(world, { channel, author: creator, webhook, content }));
  }
}
