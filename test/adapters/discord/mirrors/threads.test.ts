import { describe, expect, test } from 'vitest';
import type { Mirror } from '../../../../src/ports/mirrors.ts';
import { never, placeOf } from '../support.ts';
import { firstLines, lastWords, TWO_PARTS, withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';

const { discord, setUp } = withCopies();

describe('a standing thread that is archived', () => {
  const setUpThread = async () => {
    const here = setUp();
    const target = await discord.mirrors.thread(placeOf(here.guild, here.to), 'Español');
    const thread = here.to.threads[0]!;
    const copy = async (one: Mirror, mayExist: boolean) =>
      Array.fromAsync(discord.mirrors.create(target, [one], { mayExist, signal: never() }));
    return { ...here, thread, target, copy };
  };

  test('wakes up when a copy that was found in it is shown anew', async () => {
    const { thread, copyOf, copy } = await setUpThread();
    const one = copyOf('one');
    const [posted] = await copy(one, false);
    thread.archive();
    const [changed] = await copy({ ...one, content: { text: rich('changed') } }, true);
    expect(firstLines(thread.messages.slice(-1))).toEqual(['changed']);
    expect(changed?.ids).toEqual(posted?.ids);
  });

  test('wakes up when a copy in it is taken away', async () => {
    const { thread, copyOf, copy } = await setUpThread();
    const one = copyOf('one');
    const [posted] = await copy(one, false);
    thread.archive();
    await discord.mirrors.remove(posted!, one.source);
    expect(thread.messages).toEqual([]);
  });

  test('wakes up when what is left of a copy in it makes way', async () => {
    const { thread, copyOf, copy } = await setUpThread();
    const one = copyOf('one', undefined, { content: TWO_PARTS });
    await copy(one, false);
    thread.last?.delete();
    thread.archive();
    await copy(one, true);
    expect(lastWords(thread.messages)).toEqual(['1/2', '2/2']);
  });

  test.each([false, true])(
    'and locked is replaced by another (something stands there: %s)',
    async (again) => {
      const { thread, copyOf, copy, guild, to } = await setUpThread();
      guild.revoke('ManageWebhooks');
      const one = copyOf('one');
      if (again) await copy({ ...one, content: { text: rich('before') } }, false);
      thread.archive(true);
      await expect(copy(one, again)).rejects.toMatchObject({
        code: 'unavailable',
        retryable: true,
      });
      const target = await discord.mirrors.thread(placeOf(guild, to), 'Español');
      expect(target.channel.id).not.toBe(thread.id);
      await Array.fromAsync(
        discord.mirrors.create(target, [one], { mayExist: true, signal: never() }),
      );
      expect(firstLines(to.threads.at(-1)?.messages ?? [])).toEqual(['**Ann**: ONE']);
    },
  );
});
