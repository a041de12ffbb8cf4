import { describe, expect, test } from 'vitest';
import { footer, withCopies } from './support.ts';

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
    const short = { ...copies[0]!, content: { text: 'short' } };
    for (const changing of [
      discord.watch.uncopy(posted, copies[0]!.source),
      discord.watch.recopy(posted, short),
    ])
      await expect(changing).rejects.toMatchObject({ code: 'forbidden' });
    expect(to.messages.map(({ content }) => content)).toEqual(before);
  });

  test('are found where they stand now, behind what was posted since', async () => {
    const { to, copies, posted, copyOf, post } = await setUpLost();
    await discord.watch.uncopy(posted, copies[0]!.source);
    await post([copyOf('since then')]);
    await discord.watch.recopy(posted, { ...copies[1]!, content: { text: 'changed' } });
    const shown = to.messages.map(({ content }) => content);
    const changed = shown.filter((content) => content.includes(`changed\n${footer(copies[1]!)}`));
    expect(changed).toHaveLength(1);
    expect(shown.at(-1)).toContain('SINCE THEN');
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
  const grown = { ...copies[0]!, content: { text: 'word '.repeat(390) } };
  const changing = discord.watch.recopy(posted!, grown);
  await expect(changing).rejects.toMatchObject({ code: 'forbidden' });
  expect(to.messages.map(({ content }) => content)).toEqual(before);
});
