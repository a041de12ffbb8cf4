import { expect, test } from 'vitest';
import { never, placeOf } from '../support.ts';
import { firstLines, isSecond, lastWords, TWO_PARTS, withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';

const { clock, discord, setUp } = withCopies();

test('what the bot copies into two channels stands in both', async () => {
  const { to, copyOf, post, guild } = setUp();
  guild.revoke('ManageWebhooks');
  const other = guild.channel({ name: 'other' });
  const copy = copyOf('one');
  const [first] = await post([copy]);
  const copying = discord.mirrors.create({ channel: placeOf(guild, other) }, [copy], {
    mayExist: false,
    signal: never(),
  });
  const [second] = await Array.fromAsync(copying);
  expect([to.last?.id, other.last?.id]).toEqual([first?.ids[0], second?.ids[0]]);
  expect(firstLines([...to.messages, ...other.messages])).toEqual(['**Ann**: ONE', '**Ann**: ONE']);
});

test('what the bot posted and somebody deleted can be posted again at once', async () => {
  const { to, copyOf, post, guild } = setUp();
  guild.revoke('ManageWebhooks');
  const copy = copyOf('one');
  await post([copy]);
  to.last?.delete();
  const [again] = await post([copy], true);
  expect(firstLines(to.messages)).toEqual(['**Ann**: ONE']);
  expect(again?.ids).toEqual([to.last?.id]);
});

test('a copy that outgrows its neighbours stands once, however long it cannot leave them', async () => {
  const { to, copyOf, post } = setUp();
  const copies = Array.from({ length: 14 }, (_, index) => copyOf(`line ${index}`));
  const [posted] = await post(copies);
  const edits = 'PATCH /webhooks/:id/:token/messages/:id';
  discord.fake.fail(edits, { status: 503 }, { while: () => true });
  const grown = { ...copies[0]!, content: { text: rich('**Now**: half a mark') } };
  const standing = (): number =>
    to.messages.filter(({ content }) => content.includes('half a mark')).length;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await expect(discord.mirrors.update(posted!, grown, { sinceMs: 0 })).rejects.toMatchObject({
      retryable: true,
    });
    discord.fake.clock.advance(4 * 60_000);
    clock.ms += 4 * 60_000;
  }
  discord.fake.heal();
  const own = await discord.mirrors.update(posted!, grown, { sinceMs: 0 });
  expect(standing()).toBe(1);
  expect(own.ids).toEqual([to.last?.id]);
  expect(to.messages[0]?.content).not.toContain('LINE 0');
});

test('the same where it has grown to several messages, of which the last were not posted', async () => {
  const { to, copyOf, post, guild, bob } = setUp();
  guild.revoke('ManageWebhooks');
  const copies = [copyOf('one'), copyOf('two', bob)];
  const [posted] = await post(copies);
  const grown = { ...copies[0]!, content: TWO_PARTS };
  discord.fake.fail('POST /channels/:id/messages', { status: 503 }, { while: isSecond });
  await expect(discord.mirrors.update(posted!, grown, { sinceMs: 0 })).rejects.toMatchObject({
    retryable: true,
  });
  discord.fake.heal();
  discord.fake.clock.advance(4 * 60_000);
  await discord.mirrors.update(posted!, grown, { sinceMs: 0 });
  expect(firstLines(to.messages.slice(0, 1))).toEqual(['**Bob**: TWO']);
  expect(lastWords(to.messages.slice(1))).toEqual(['1/2', '2/2']);
});
