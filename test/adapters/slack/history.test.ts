import { expect, it } from 'vitest';
import type { Api } from '../../../adapters/slack/api.ts';
import { readForward } from '../../../adapters/slack/history.ts';
import { channelOf } from '../../../adapters/slack/ids.ts';

const TS = Array.from({ length: 450 }, (_, at) => `${1_700_000_000 + at}.000000`);

/** Reads the messages of an app whose history is given page by page from one end. */
const readFrom = async (end: 'oldest' | 'newest', isLimited = false) => {
  const call = async (_: unknown, __: unknown, args: { oldest: string; inclusive?: boolean }) => {
    const left = TS.filter((ts) => (args.inclusive ? ts >= args.oldest : ts > args.oldest));
    const page = end === 'oldest' ? left.slice(0, 200) : left.slice(-200);
    const messages = page.toReversed().map((ts) => ({ ts, type: 'message', text: '' }));
    return { messages, has_more: left.length > page.length };
  };
  const api = { call, history: { sawPage: () => undefined, isLimited: () => isLimited } };
  const reading = readForward(api as unknown as Api, channelOf('T0TEAM', 'C0HERE'), TS[10]!, {});
  return Array.fromAsync(reading, ({ ts }) => ts);
};

it('the first messages from a time on come page by page, oldest first', async () => {
  expect(await readFrom('oldest')).toEqual(TS.slice(10));
});

it('the first messages are those of one page where the app gets little history', async () => {
  expect(await readFrom('oldest', true)).toEqual(TS.slice(10, 210));
});

it('the newest messages do not pass for the first ones', async () => {
  await expect(readFrom('newest')).rejects.toMatchObject({ code: 'bad-reply' });
});
