import { describe, expect, it } from 'vitest';
import { openGroup, wordsIn } from './group.ts';

describe('a channel that is named elsewhere', () => {
  it('has its new name as soon as it is renamed', async () => {
    await using group = await openGroup();
    const { english, spanish } = group;
    const named = english.workspace.channel({ name: 'plans', members: [english.ann] });
    const say = (words: string): void => {
      const elements = [
        { type: 'text', text: `${words} ` },
        { type: 'channel', channel_id: named.id },
      ];
      english.channel.say(english.ann, {
        elements: [{ type: 'rich_text_section', elements }],
      });
    };
    say('We write of it in');
    await wordsIn(spanish.channel, '#plans');
    named.rename('decisions');
    await group.bot.slack.events.settled();
    say('We still write of it in');
    await wordsIn(spanish.channel, '#decisions');
    expect(group.bot.errors).toEqual([]);
  });
});
