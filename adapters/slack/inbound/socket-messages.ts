import type { SocketModeReceiver } from '@slack/bolt';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';

type Client = SocketModeReceiver['client'];

const EVENT = /"event"\s*:/;

/**
 * Gives what has no event one of its own type: the word that events are left out comes without, and
 * the library throws at it (slackapi/node-slack-sdk, issue 2167).
 */
const withEvent = (data: string): string => {
  if (EVENT.test(data) || !data.includes('"events_api"')) return data;
  const envelope = JSON.parse(data) as { payload?: { type?: unknown } };
  const payload = { ...envelope.payload, event: { type: String(envelope.payload?.type) } };
  return JSON.stringify({ ...envelope, payload });
};

/** Has messages of the socket that the library cannot read end nothing but themselves. */
export const readSafely = (client: Client, log: Log): void => {
  const readers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  const read = async (data: unknown, isBinary: unknown): Promise<void> => {
    const known = typeof data === 'string' ? withEvent(data) : data;
    for (const reader of readers)
      await (Reflect.apply(reader, client, [known, isBinary]) as unknown);
  };
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    read(data, isBinary).catch((thrown: unknown) => {
      log.warn({ reason: toAppError(thrown).message }, 'Slack: a message could not be read');
    });
  });
};
