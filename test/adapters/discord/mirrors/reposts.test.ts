import { describe, expect, test } from 'vitest';
import { footer, withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';

const { discord, setUp } = withCopies();

describe('copies that share messages of a webhook that is gone', () => {
  const setUpLost = async () => {
    const here = setUp();
    const copies = Array.from({ length: 40 }, (_, index) => here.copyOf(`line ${index}`));
    const [posted] = await here.post(copies);
    here.to.webhooks[0]?.delete();
    return { ...here, copies, posted: posted! };
  };

  test('do not stand twice where the bot may not take the old ones away', async () => {
    const { to, guild, copies, posted } = await setUpLost();
    guild.revoke('ManageMessages');
    const before = to.messages.map(({ content }) => content);
    const short = { ...copies[0]!, content: { text: rich('short') } };
    for (const changing of [
      discord.mirrors.remove(posted, copies[0]!.source),
      discord.mirrors.update(posted, short),
    ])
      await expect(changing).rejects.toMatchObject({ code: 'forbidden' });
    expect(to.messages.map(({ content }) => content)).toEqual(before);
  });

  test('are found where they stand now, behind what was posted since', async () => {
    const { to, copies, posted, copyOf, post } = await setUpLost();
    await discord.mirrors.remove(posted, copies[0]!.source);
    await post([copyOf('since then')]);
    await discord.mirrors.update(posted, { ...copies[1]!, content: { text: rich('changed') } });
    const shown = to.messages.map(({ content }) => content);
    const changed = shown.filter((content) => content.includes(`changed\n${footer(copies[1]!)}`));
    expect(changed).toHaveLength(1);
    expect(shown.at(-1)).toContain('SINCE THEN');
  });

  test('are found where they stand now, however much was said since', async () => {
    const { to, bob, copies, posted } = await setUpLost();
    await discord.mirrors.update(posted, { ...copies[0]!, content: { text: rich('changed') } });
    for (let line = 0; line < 510; line += 1) to.say(bob, `talk ${line}`);
    await discord.mirrors.remove(posted, copies[1]!.source);
    const shown = to.messages.map(({ content }) => content).join('\n');
    expect(shown).not.toContain(footer(copies[1]!));
    expect(shown).toContain(footer(copies[2]!));
  });

  describe('and of which the bot has to tell the names', () => {
    const setUpNamed = async () => {
      const here = setUp();
      const ann = discord.fake.user({ name: 'Annabella Maria Constantina' });
      const quote = { name: 'Bob', text: 'what', ref: { channel: here.target, id: '1' } };
      const part = { quote };
      const copies = Array.from({ length: 60 }, (_, at) => here.copyOf(`line ${at}`, ann, part));
      const posted = await here.post(copies);
      here.to.webhooks[0]?.delete();
      here.guild.revoke('ManageWebhooks');
      const shown = (): string => here.to.messages.map(({ content }) => content).join('\n');
      return { ...here, copies, posted, shown };
    };

    test('take more messages where they need them, and each stands once', async () => {
      const { copies, posted, shown } = await setUpNamed();
      await discord.mirrors.remove(posted[0]!, copies[0]!.source);
      expect(shown()).not.toContain(footer(copies[0]!));
      const changed = { ...copies[10]!, content: { text: rich('changed') } };
      const again = await discord.mirrors.update(posted[10]!, changed);
      expect(shown()).toContain(`changed\n${footer(changed)}`);
      for (const copy of copies.slice(1)) expect(shown().split(footer(copy))).toHaveLength(2);
      await discord.mirrors.remove(again, changed.source);
      expect(shown()).not.toContain(footer(changed));
    });

    test('have their quotes above the name, where they are known for quotes', async () => {
      const { copies, posted } = await setUpNamed();
      const changed = { ...copies[0]!, content: { text: rich('changed') } };
      const { channel, ids } = await discord.mirrors.update(posted[0]!, changed);
      const read = await discord.feed.read({ channel, id: ids[0] }, copies[1]!.source);
      expect(read).toMatchObject({ text: rich('LINE 1') });
    });
  });
});

test('a copy that outgrows its neighbours does not stand twice when it cannot leave them', async () => {
  const { to, guild, copyOf, bob, post } = setUp();
  guild.revoke('ManageWebhooks');
  const copies = [copyOf('one'), copyOf('two', bob)];
  const [posted] = await post(copies);
  const before = to.messages.map(({ content }) => content);
  const refused = { status: 403, body: { message: 'Missing Permissions', code: 50_013 } };
  discord.fake.fail('PATCH /channels/:id/messages/:id', refused);
  const grown = { ...copies[0]!, content: { text: rich('word '.repeat(390)) } };
  const changing = discord.mirrors.update(posted!, grown);
  await expect(changing).rejects.toMatchObject({ code: 'forbidden' });
  expect(to.messages.map(({ content }) => content)).toEqual(before);
});
