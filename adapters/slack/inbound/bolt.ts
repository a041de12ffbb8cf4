import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import { clientOptions, silentLogger } from '../api.ts';

/** An event as the Events API delivers it. */
const eventBody = z.looseObject({
  type: z.literal('event_callback'),
  event_id: z.string(),
  team_id: z.string(),
  context_team_id: z.string().nullish(),
  is_ext_shared_channel: z.boolean().optional(),
  event_time: z.number().optional(),
  event: z.looseObject({ type: z.string() }),
});

export type EventBody = z.infer<typeof eventBody>;

export interface BoltOptions {
  readonly receiver: Receiver;
  readonly apiUrl: string | undefined;
  /**
   * Takes an event; it is acknowledged once this resolves, and delivered again when it rejects.
   */
  readonly takeEvent: (body: EventBody, isRepeated: boolean) => Promise<void>;
}

/**
 * Creates Bolt's app around a receiver. Bolt itself acknowledges an event before anything is done with
 * it; here that comes after it is stored. Listeners use this program's own client, so that every call
 * keeps the same rates.
 */
export const createBolt = ({ receiver, apiUrl, takeEvent }: BoltOptions): App => {
  const app = new App({
    receiver,
    logger: silentLogger,
    ignoreSelf: false,
    convoStore: false,
    clientOptions: clientOptions(apiUrl),
    authorize: async () => ({}),
  });
  const process = app.processEvent.bind(app);
  app.processEvent = async (given: ReceiverEvent): Promise<void> => {
    const parsed = eventBody.safeParse(given.body);
    if (!parsed.success) return process(given);
    await takeEvent(parsed.data, (given.retryNum ?? 0) > 0);
    await given.ack();
  };
  return app;
};
