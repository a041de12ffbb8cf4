import type { Channel, Message, User, Webhook, World } from '../state.ts';
import type { Voice } from '../voice/index.ts';
import type { Waiters } from '../../wait.ts';
import type { FakeChannel } from './channel.ts';
import type { FakeMessage } from './message.ts';
import type { FakeUser } from './user.ts';
import type { FakeWebhook } from './webhook.ts';

/** What the handles of the driver share: the world, and each other. */
export interface Tools {
  readonly world: World;
  readonly waiters: Waiters;
  readonly voice: Voice;
  channel(state: Channel): FakeChannel;
  message(state: Message): FakeMessage;
  user(user: User): FakeUser;
  webhook(webhook: Webhook): FakeWebhook;
}
