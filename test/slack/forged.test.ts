import { describe, expect, it } from 'vitest';
import { allPresses, chosenIn } from '../fakes/forged.ts';
import { sentence } from '../fakes/sentences.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

describe('a forged press', () => {
  it('does nothing, whatever it names, and says so to its sender alone', async () => {
    const at = bot.place();
    const [, asked] = sentence('autotranslate.request-set', { channel: '…' }).split('…');
    await bot.use(at, 'autotranslate request', { part: asked! });
    const line = at.channel.posts.find(({ words }) => words.includes('Pin this message'))!;
    const offered = JSON.stringify(line.blocks);
    const stored = await chosenIn(bot.store);
    const presses = (await allPresses()).filter((press) => !offered.includes(`"${press}"`));
    for (const press of [...presses, 'modal:translate']) {
      const hidden = at.channel.ephemeralsFor(at.admin).length;
      bot.slack.forge(at.admin, line, press);
      await bot.slack.until(() => at.channel.ephemeralsFor(at.admin).length > hidden);
      const [answer] = at.channel.ephemeralsFor(at.admin).slice(hidden);
      expect([press, answer?.text]).toEqual([
        press,
        expect.stringContaining(sentence('errors.unknown-press')),
      ]);
    }
    expect(at.admin.modal).toBeUndefined();
    expect(JSON.stringify(line.blocks)).toBe(offered);
    expect(await chosenIn(bot.store)).toEqual(stored);
  });

  it('does nothing in App Home', async () => {
    const at = bot.place();
    at.ann.openHome();
    await bot.slack.until(() => at.ann.home.length > 0);
    const stored = await chosenIn(bot.store);
    const home = JSON.stringify(at.ann.home);
    for (const press of await allPresses())
      if (!home.includes(`"${press}`))
        await bot.slack.forge(at.ann, at.ann.homeView!, press).outcome;
    bot.slack.act(at.ann, at.ann.homeView!, 'privacy details');
    await bot.slack.until(() => JSON.stringify(at.ann.home) !== home);
    expect(await chosenIn(bot.store)).toEqual(stored);
    expect(JSON.stringify(at.ann.home)).not.toContain(sentence('errors.unknown-press'));
    expect(at.ann.modal).toBeUndefined();
  });
});
