import { expect, it } from 'vitest';
import { unlessAbsent } from '../../../src/autotranslate/absent.ts';
import { AppError, userError } from '../../../src/errors.ts';
import { channelMention } from '../../../src/model/place.ts';
import { series } from '../../../src/rich-text/compose.ts';
import { channel } from '../../fakes/channel-feed.ts';

const params = (id: string) => ({ channel: channelMention(channel(id)), command: '/invite' });
const notIn = async (id: string): Promise<never> => {
  throw userError('forbidden', 'watch.not-there', params(id));
};

it('gives what was found', async () => {
  expect(await unlessAbsent([Promise.resolve(1), Promise.resolve(2)])).toEqual([1, 2]);
});

it('names all channels at once that the bot is not in', async () => {
  await expect(unlessAbsent([notIn('a'), Promise.resolve(1), notIn('b')])).rejects.toMatchObject({
    code: 'forbidden',
    sentence: {
      key: 'watch.not-there',
      params: {
        ...params('a'),
        channel: series(
          ['a', 'b'].map((id) => channelMention(channel(id))),
          ', ',
        ),
      },
    },
  });
});

it('rejects with any other failure before', async () => {
  const gone = new AppError('unavailable', 'away', { retryable: true });
  await expect(unlessAbsent([notIn('a'), Promise.reject(gone)])).rejects.toBe(gone);
});
