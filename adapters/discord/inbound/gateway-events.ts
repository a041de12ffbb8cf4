import {
  GatewayDispatchEvents as Events,
  type Client,
  type GatewayDispatchPayload,
  type GatewayGuildCreateDispatchData,
} from 'discord.js';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { RawMessage } from './message-reader.ts';

/** The data of events that are read in another way than the library types them. */
interface Typed {
  readonly [Events.MessageCreate]: RawMessage;
  /** Partial: embeds that load later may come alone. */
  readonly [Events.MessageUpdate]: Partial<RawMessage> & Pick<RawMessage, 'id' | 'channel_id'>;
  readonly [Events.GuildCreate]:
    | GatewayGuildCreateDispatchData
    | { readonly id: string; readonly unavailable: true };
}

type Dispatched<Event extends Events> = Event extends keyof Typed
  ? Typed[Event]
  : Extract<GatewayDispatchPayload, { readonly t: Event }>['d'];

export type On = <Event extends Events>(
  event: Event,
  handle: (data: Dispatched<Event>) => Promise<void> | void,
) => void;

/**
 * Creates the subscription to raw gateway events: they do not depend on the caches of discord.js,
 * and come in order, even while it still waits for its servers. Errors of listeners are logged.
 */
export const createOn =
  (client: Client, log: Log): On =>
  (event, handle) => {
    client.ws.on(event, (data: Parameters<typeof handle>[0]) => {
      const run = async (): Promise<void> => handle(data);
      run().catch((thrown: unknown) => {
        const { code, message, cause } = toAppError(thrown);
        log.error({ event, code, reason: message, err: cause }, 'an event could not be handled');
      });
    });
  };
