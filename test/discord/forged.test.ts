import { describe, expect, it } from 'vitest';
import { allPresses, chosenIn } from '../fakes/forged.ts';
import { sentence } from '../fakes/sentences.ts';
import { withBot } from './support.ts';

const bot = withBot();

/** A message for everybody with two buttons and a menu, of which a changed app can press any others. */
const openNotice = async () => {
  const at = bot.place();
  await bot.use(at, 'autotranslate request');
  const notice = at.channel.messages.find(({ components }) => components.length > 0)!;
  return { at, notice };
};

describe('a forged press', () => {
  it('does nothing, whatever it names, and says so to its sender alone', async () => {
    const { at, notice } = await openNotice();
    const offered = JSON.stringify(notice.components);
    const before = { ...notice.state };
    const stored = await chosenIn(bot.store);
    const presses = (await allPresses()).filter((press) => !offered.includes(`"${press}"`));
    expect(presses.length).toBeGreaterThan(90);
    for (const press of presses) {
      const forged = bot.discord.forge(at.guild.owner, notice, press);
      const answer = await forged.answer();
      expect([press, answer.ephemeral, answer.content]).toEqual([
        press,
        true,
        expect.stringContaining(sentence('errors.unknown-press')),
      ]);
      expect(forged.modal).toBeUndefined();
    }
    expect(notice.state).toEqual(before);
    expect(await chosenIn(bot.store)).toEqual(stored);
  });

  it('stops no messages of our own, which the answer about one does not offer', async () => {
    const { at, notice } = await openNotice();
    const { owner } = at.guild;
    const name = sentence('commands.why.menu');
    const asked = bot.discord.command(owner, { channel: at.channel, name, target: notice });
    const told = await asked.answer();
    expect(told.content).toContain(sentence('why.unknown.own'));
    expect(told.components).toEqual([]);
    const stored = await chosenIn(bot.store);
    const press = `autotranslate stopperson:${notice.state.author.id}`;
    const answer = await bot.discord.forge(owner, told, press).answer();
    expect(answer.content).toContain(sentence('errors.unknown-press'));
    expect(await chosenIn(bot.store)).toEqual(stored);
  });

  it('of a value that a menu does not offer does nothing', async () => {
    const at = bot.place();
    const panel = await bot.use(at, 'language');
    const forged = bot.discord.forge(at.guild.owner, panel, 'language choose', ['tlh']);
    const answer = await forged.answer();
    expect(answer.id).not.toBe(panel.id);
    expect(answer.content).toContain(sentence('errors.unknown-press'));
  });
});
