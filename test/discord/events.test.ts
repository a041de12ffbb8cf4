import { describe, expect, it } from 'vitest';
import { bodyOf, copyOf, repliesTo, replyTo, textsIn } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

describe('events of the gateway', () => {
  it('that change their places lose nothing and bring nothing back', async () => {
    const { english, spanish, ann } = await bot.linked();
    bot.discord.gateway.spoil('MESSAGE_CREATE', 'swap');
    const first = english.say(ann, 'The first of two sentences');
    const second = english.say(ann, 'The second of two sentences');
    await Promise.all([copyOf(first, spanish), copyOf(second, spanish)]);
    bot.discord.gateway.spoil('MESSAGE_CREATE', 'swap');
    const edited = english.say(ann, 'Before it was changed');
    edited.edit('After it was changed');
    bot.discord.gateway.spoil('MESSAGE_CREATE', 'swap');
    const gone = english.say(ann, 'Nobody shall see this line');
    gone.delete();
    bot.discord.gateway.spoil('MESSAGE_UPDATE', 'swap');
    const last = english.say(ann, 'Nobody shall see this line either');
    await copyOf(last, spanish);
    last.edit('Nobody shall see the change of this line');
    last.delete();
    await copyOf(english.say(ann, 'The last line of all of them'), spanish);
    expect(spanish.messages.slice(2).map(bodyOf)).toEqual([
      'es:After it was changed',
      'es:The last line of all of them',
    ]);
  });

  it('that never come are made up for when the next session begins', async () => {
    const { english, spanish, ann } = await bot.linked();
    await copyOf(english.say(ann, 'Something to begin with'), spanish);
    bot.discord.gateway.spoil('MESSAGE_CREATE', 'drop');
    const lost = english.say(ann, 'Nobody told you about this line');
    const changed = english.say(ann, 'This is how it was before');
    await copyOf(changed, spanish);
    bot.discord.gateway.spoil('MESSAGE_UPDATE', 'drop');
    changed.edit('This is how it is now');
    await bot.stop();
    await bot.start();
    await copyOf(lost, spanish);
    await copyOf(changed, spanish, (text) => text.includes('how it is now'));
    expect(spanish.messages).toHaveLength(3);
  });

  it('that come twice are done once', async () => {
    const { channel, english, spanish, ann, bob } = await bot.linked();
    for (const event of ['CREATE', 'UPDATE', 'DELETE', 'REACTION_ADD', 'REACTION_REMOVE'])
      bot.discord.gateway.spoil(`MESSAGE_${event}`, 'duplicate', 20);
    bot.discord.gateway.spoil('INTERACTION_CREATE', 'duplicate');
    const flagged = channel.say(bob, 'What does this mean in Japanese?');
    flagged.react(ann, '🇯🇵');
    await replyTo(flagged);
    const said = english.say(ann, 'This comes twice over the wire');
    await copyOf(said, spanish);
    said.edit('This was changed twice over the wire');
    await copyOf(said, spanish, (text) => text.includes('changed twice'));
    const other = english.say(ann, 'This goes away two times');
    await copyOf(other, spanish);
    other.delete();
    await spanish.until((messages) => messages.length === 1);
    const options = { text: 'Good evening', to: 'es' };
    const used = bot.discord.command(ann, { channel, name: 'translate', options });
    await used.until(({ shown }) => shown?.content === 'es:Good evening');
    expect(repliesTo(flagged)).toHaveLength(1);
    expect(textsIn(channel)).toHaveLength(3);
  });
});
