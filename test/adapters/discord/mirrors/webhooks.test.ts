import { describe, expect, test } from 'vitest';
import { eventually } from '../../../fakes/eventually.ts';
import { never, placeOf } from '../support.ts';
import { firstLines, footer, TWO_PARTS, withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';

const { discord, setUp } = withCopies();

describe('a copy whose webhook was deleted by hand', () => {
  const setUpLost = async (count = 1) => {
    const here = setUp();
    const copies = Array.from({ length: count }, (_, index) => here.copyOf(`line ${index}`));
    const posted = await here.post(copies);
    here.to.webhooks[0]?.delete();
    return { ...here, copies, copy: copies[0]!, posted: posted[0]! };
  };

  test('is taken away by the bot', async () => {
    const { to, copy, posted } = await setUpLost();
    await discord.mirrors.remove(posted, copy.source);
    expect(to.messages).toEqual([]);
  });

  test('is swept away by the bot', async () => {
    const { to, copy, target } = await setUpLost();
    await discord.mirrors.removeOrphans({ channel: target }, copy.source);
    expect(to.messages).toEqual([]);
  });

  test('is posted anew when it is to be shown anew', async () => {
    const { to, copy, posted } = await setUpLost();
    const anew = await discord.mirrors.update(posted, { ...copy, content: { text: rich('two') } });
    expect(firstLines(to.messages)).toEqual(['two']);
    expect(anew.ids).toEqual([to.last?.id]);
  });

  test('stays, and this is told, where the bot may not take it away', async () => {
    const { to, copy, posted, guild } = await setUpLost();
    guild.revoke('ManageMessages');
    await expect(discord.mirrors.update(posted, copy)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(discord.mirrors.remove(posted, copy.source)).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(to.messages).toHaveLength(1);
  });

  /** How often each of the copies is shown, in the order of their making. */
  const counts = ({ to, copies }: Awaited<ReturnType<typeof setUpLost>>): number[] => {
    const shown = to.messages.flatMap(({ content }) => content.split('\n'));
    return copies.map((copy) => shown.filter((line) => line === footer(copy)).length);
  };
  const once = Array<number>(40).fill(1);

  test('leaves its neighbours when it is taken away, and they can still be changed', async () => {
    const here = await setUpLost(40);
    const { to, copies, posted } = here;
    await discord.mirrors.remove(posted, copies[0]!.source);
    expect(counts(here)).toEqual(once.with(0, 0));
    expect(to.messages.every(({ author }) => author === 'Ann')).toBe(true);
    await discord.mirrors.update(posted, { ...copies[1]!, content: { text: rich('changed') } });
    await discord.mirrors.remove(posted, copies[2]!.source);
    expect(counts(here)).toEqual(once.with(0, 0).with(2, 0));
    expect(to.last?.content).toContain(`changed\n${footer(copies[1]!)}`);
  });

  test('is shown anew with its neighbours, or apart where it has grown', async () => {
    const here = await setUpLost(40);
    const { to, copies, posted } = here;
    const anew = await discord.mirrors.update(posted, {
      ...copies[0]!,
      content: { text: rich('short') },
    });
    expect(anew.ids).toEqual([to.last?.id]);
    expect(counts(here)).toEqual(once);
    to.webhooks[0]?.delete();
    const own = await discord.mirrors.update(anew, { ...copies[0]!, content: TWO_PARTS });
    expect(own.ids).toHaveLength(2);
    expect(counts(here)).toEqual(once.with(0, 0));
  });

  test('leaves its neighbours once, also when a try before was cut off', async () => {
    const here = await setUpLost(40);
    discord.fake.fail('DELETE /channels/:id/messages/:id', { status: 500 });
    discord.fake.fail('POST /webhooks/:id/:token', { reset: 'after' });
    await expect(discord.mirrors.remove(here.posted, here.copies[0]!.source)).rejects.toMatchObject(
      {
        retryable: true,
      },
    );
    discord.fake.heal();
    await discord.mirrors.remove(here.posted, here.copies[0]!.source);
    expect(counts(here)).toEqual(once.with(0, 0));
  });

  test('goes, and the bot tells what its neighbours said, where no webhook may be made', async () => {
    const here = await setUpLost(40);
    here.guild.revoke('ManageWebhooks');
    await discord.mirrors.remove(here.posted, here.copies[0]!.source);
    expect(counts(here)).toEqual(once.with(0, 0));
    expect(here.to.last?.content).toContain('**Ann**: LINE 1\n');
  });
});

describe('a webhook that people gave another channel', () => {
  const setUpMoved = async () => {
    const here = setUp();
    const other = here.guild.channel({ name: 'other' });
    const copy = here.copyOf('one');
    const [posted] = await here.post([copy]);
    const move = (): void => here.to.webhooks[0]?.move(other);
    return { ...here, other, copy, posted: posted!, move };
  };

  test('leaves nothing where it is now, and another one posts where it is wanted', async () => {
    const { to, other, copyOf, post, move } = await setUpMoved();
    move();
    const [posted] = await post([copyOf('two')]);
    expect(firstLines(to.messages)).toEqual(['ONE', 'TWO']);
    expect(to.last).toMatchObject({ id: posted?.ids[0], author: 'Ann' });
    expect(other.messages).toEqual([]);
    expect([to.webhooks.length, other.webhooks.length]).toEqual([1, 1]);
  });

  test('posts nothing where it is now, once Discord has told that it moved', async () => {
    const { to, other, from, ann, copyOf, post, move } = await setUpMoved();
    move();
    const marker = from.say(ann, 'after it moved');
    await eventually(() =>
      expect(discord.core.told).toContainEqual(
        expect.objectContaining({
          message: expect.objectContaining({ text: rich(marker.content) }),
        }),
      ),
    );
    await post([copyOf('two')]);
    expect(other.state.lastMessageId).toBeNull();
    expect(firstLines(to.messages)).toEqual(['ONE', 'TWO']);
  });

  test('does not keep what it wrote from being shown anew, or taken away', async () => {
    const { to, copy, copyOf, post, posted, move } = await setUpMoved();
    const other = copyOf('two');
    const [last] = await post([other]);
    move();
    await discord.mirrors.update(posted, { ...copy, content: { text: rich('changed') } });
    expect(firstLines(to.messages)).toEqual(['TWO', 'changed']);
    await discord.mirrors.remove(last!, other.source);
    expect(firstLines(to.messages)).toEqual(['changed']);
  });

  test('does not keep copies out of the threads of its channel', async () => {
    const { to, guild, copyOf, move } = await setUpMoved();
    const thread = await discord.mirrors.thread(placeOf(guild, to), 'Español');
    move();
    await Array.fromAsync(
      discord.mirrors.create(thread, [copyOf('two')], {
        mayExist: false,
        signal: never(),
      }),
    );
    expect(firstLines(to.threads[0]!.messages)).toEqual(['TWO']);
    expect(to.threads[0]?.last).toMatchObject({ author: 'Ann' });
  });
});
