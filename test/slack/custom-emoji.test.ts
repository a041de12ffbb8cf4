import { describe, expect, it } from 'vitest';
import { openGroup, wordsIn } from './group.ts';
import { openLinked, withSlackBot } from './support.ts';
import { shared } from '../fakes/opened.ts';

const element = (name: string, more: object = {}) => ({ type: 'emoji', name, ...more });
const said = (words: string, ...emoji: readonly ReturnType<typeof element>[]) => ({
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: words }, ...emoji] }],
});

describe('emoji between two workspaces and a Discord server', () => {
  const group = shared(() => openGroup());

  it('of one workspace alone are names in the others', async () => {
    const { english, spanish, japanese } = group;
    english.channel.say(english.ann, said('We celebrate tonight ', element('office-parrot')));
    await wordsIn(spanish.channel, 'We celebrate tonight :office-parrot:');
    expect(JSON.stringify(spanish.channel.posts.at(-1)?.blocks)).not.toContain('"emoji"');
    await japanese.until((messages) =>
      messages.some(({ content }) => content.includes('We celebrate tonight :office-parrot:')),
    );
  });

  it('of a Discord server are names in Slack', async () => {
    const { bot, discord, guild, english, spanish, japanese } = group;
    const bob = discord.user({ name: 'Bob' });
    guild.join(bob);
    japanese.say(bob, '今夜お祝いしましょう <:party_cat:300000000000000077> 👩🏼‍💻 🇯🇵');
    for (const { channel } of [english, spanish]) {
      await wordsIn(channel, ':party_cat: 👩🏼‍💻 🇯🇵');
      expect(JSON.stringify(channel.posts.at(-1)?.blocks)).not.toContain('300000000000000077');
    }
    expect(bot.slack.pings).toEqual([]);
  });

  it('of Unicode are themselves everywhere, with their skin, as flags and as families', async () => {
    const { english, spanish, japanese } = group;
    english.channel.say(
      english.ann,
      said(
        'Hello to all of you ',
        element('wave', { unicode: '1f44b-1f3fc', skin_tone: 3 }),
        element('flag-es', { unicode: '1f1ea-1f1f8' }),
        element('man-woman-girl-boy', { unicode: '1f468-200d-1f469-200d-1f467-200d-1f466' }),
      ),
    );
    await wordsIn(spanish.channel, 'Hello to all of you 👋🏼🇪🇸👨‍👩‍👧‍👦');
    await japanese.until((messages) => messages.some(({ content }) => content.includes('👋🏼🇪🇸👨‍👩‍👧‍👦')));
  });
});

describe('emoji of a workspace', () => {
  const bot = withSlackBot();

  it('stay emoji in its other channels', async () => {
    const { spanish, ...at } = await openLinked(bot);
    at.channel.say(at.ann, said('We celebrate tomorrow ', element('office-parrot')));
    await wordsIn(spanish, 'es:We celebrate tomorrow');
    expect(JSON.stringify(spanish.posts.at(-1)?.blocks)).toContain(
      '{"type":"emoji","name":"office-parrot"}',
    );
  });
});
