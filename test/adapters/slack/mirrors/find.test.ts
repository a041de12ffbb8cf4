import { expect, it } from 'vitest';
import type { Api } from '../../../../adapters/slack/api.ts';
import { channelOf } from '../../../../adapters/slack/ids.ts';
import { readMirrorMessages } from '../../../../adapters/slack/mirrors/own-messages.ts';
import { metadataOf } from '../../../../adapters/slack/mirrors/metadata.ts';

const CHANNEL = channelOf('T0000000A', 'C0000000A');
const SOURCE = { channel: CHANNEL, id: '20.000000' };
const reply = {
  ts: '21.000000',
  thread_ts: SOURCE.id,
  metadata: metadataOf({ source: SOURCE, key: 'es' }, 0, 1, []),
};
/** An old thread, one that has replies, and one that has none. */
const [OLD, ANSWERED, EMPTY] = ['10.000000', SOURCE.id, '30.000000'];

it('a mirror is looked for in threads that have replies, and in those whose beginning is not seen', async () => {
  const asked: string[] = [];
  const api = {
    history: { isLimited: () => false, sawPage: () => undefined },
    call: async (_space: unknown, method: string, args: Readonly<Record<string, unknown>> = {}) => {
      if (method === 'conversations.history')
        return { messages: [{ ts: EMPTY }, { ts: ANSWERED, latest_reply: reply.ts }] };
      asked.push(String(args['ts']));
      return { messages: args['ts'] === ANSWERED ? [reply] : [] };
    },
  } as unknown as Api;
  const roots = [OLD, ANSWERED, EMPTY];
  const marked = await Array.fromAsync(
    readMirrorMessages(api, { channel: CHANNEL }, roots, { sinceMs: 15_000 }),
  );
  expect(asked).toEqual([OLD, ANSWERED]);
  expect(marked.map(({ ts }) => ts)).toEqual([reply.ts]);
});
