import { afterEach, describe, expect, it } from 'vitest';
import { bodyOf, copiesOf, copyOf, repliesTo, replyTo, textsIn } from './shown.ts';
import { withBot } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();

/** Has something happen in the very moment in which the service translates this text. */
const during = (text: string, happen: () => void): void => {
  let left = 1;
  bot.speech.translate = (given, { target_lang }) => {
    if (given === text && (left -= 1) === 0) happen();
    return `${target_lang}:${given}`;
  };
};
afterEach(() => during('', () => undefined));

describe('in the middle of a translation', () => {
  it('a channel may go: the others of its group go on', async () => {
    const { english, spanish, japanese, ann, ...at } = await bot.linked();
    during('The channel of this will be gone', () => spanish.delete());
    const said = english.say(ann, 'The channel of this will be gone');
    await copyOf(said, japanese);
    await copyOf(english.say(ann, 'But we are still here, are we not?'), japanese);
    during('Now ours is gone as well', () => english.delete());
    english.say(ann, 'Now ours is gone as well');
    await bot.settled({ ...at, ann });
    expect(japanese.messages.length).toBeGreaterThan(1);
    const other = await bot.reading();
    await replyTo(other.channel.say(ann, 'And elsewhere nothing has changed'));
  });

  it('permissions may go: the message is shown as not done, and can be done later', async () => {
    const at = await bot.reading();
    const { channel, ann, guild } = at;
    const room = { ...at, channel: guild.channel() };
    during('You may not speak any more', () => channel.deny('SendMessages'));
    const said = channel.say(ann, 'You may not speak any more');
    await bot.settled(room);
    expect(repliesTo(said)).toHaveLength(0);
    const panel = await bot.use(room, 'status');
    expect(panel.content).toContain(sentence('status.dead', { count: 1 }));
    expect(panel.content).toContain(sentence('status.missing', { permissions: 'Send Messages' }));
    channel.allow('SendMessages');
    await bot.press(panel, 'status retry', undefined, guild.owner);
    await replyTo(said);
  });

  it('the bot may be thrown out: it works again when it is back and set up anew', async () => {
    const at = await bot.reading();
    const { channel, guild, ann } = at;
    during('Now you have to leave', () => guild.kickBot());
    channel.say(ann, 'Now you have to leave');
    await replyTo((await bot.reading()).channel.say(ann, 'On another server nobody cares'));
    guild.addBot();
    expect((await bot.use(at, 'autotranslate list')).content).not.toContain(channel.id);
    await bot.use(at, 'autotranslate reply', { languages: 'es' });
    await replyTo(channel.say(ann, 'Good to have you back with us'));
    expect(textsIn(channel).filter((text) => text.startsWith('🇪🇸')).length).toBeLessThan(3);
  });

  it('the author may be banned, with all that they said', async () => {
    const { english, spanish, guild, ann, bob } = await bot.linked();
    during('These are my last words here', () => guild.ban(ann, { deleteMessageSeconds: 3_600 }));
    const before = english.say(ann, 'These are my first words here');
    await copyOf(before, spanish);
    english.say(ann, 'These are my last words here');
    await copyOf(english.say(bob, 'Peace and quiet at last, my friends'), spanish);
    await spanish.until(({ length }) => length === 1);
  });

  it('its message may be deleted or edited', async () => {
    const { english, spanish, ann } = await bot.linked();
    during('I take this back at once', () => gone.delete());
    const gone = english.say(ann, 'I take this back at once');
    await copyOf(english.say(ann, 'And I say this in its place'), spanish);
    during('I say this in a wrong way', () => wrong.edit('I say this in the right way'));
    const wrong = english.say(ann, 'I say this in a wrong way');
    await copyOf(wrong, spanish, (text) => text.includes('right way'));
    expect(spanish.messages.map(bodyOf)).toEqual([
      'es:And I say this in its place',
      'es:I say this in the right way',
    ]);
  });

  it('the channel may be switched off', async () => {
    const at = await bot.reading();
    const { channel, ann, guild } = at;
    let off: Promise<unknown> = Promise.resolve();
    during('Nobody wants to read this any more', () => {
      off = bot.use({ ...at, channel: guild.channel() }, 'autotranslate off', { channel });
    });
    const said = channel.say(ann, 'Nobody wants to read this any more');
    await bot.settled(at);
    await off;
    const after = channel.say(ann, 'This is for nobody either');
    await replyTo((await bot.reading()).channel.say(ann, 'But this is for everybody'));
    expect([...repliesTo(after), ...repliesTo(said).slice(1)]).toEqual([]);
  });
});

describe('a webhook', () => {
  it('that somebody deleted is made anew, once, and nothing is lost', async () => {
    const { english, spanish, ann } = await bot.linked();
    const first = english.say(ann, 'The first of these sentences');
    await copyOf(first, spanish);
    spanish.webhooks[0]!.delete();
    const more = ['second', 'third', 'fourth'].map((word) =>
      english.say(ann, `The ${word} of these sentences`),
    );
    await copyOf(more.at(-1)!, spanish);
    expect(spanish.webhooks).toHaveLength(1);
    expect(spanish.messages.map(bodyOf).slice(1)).toEqual([
      'es:The second of these sentences',
      'es:The third of these sentences',
      'es:The fourth of these sentences',
    ]);
    expect(new Set(spanish.messages.map(({ author }) => author))).toEqual(new Set(['Ann']));
    first.delete();
    await spanish.until(() => copiesOf(first, spanish).length === 0);
  });

  it('that there is no room or no permission for is done without', async () => {
    const { english, spanish, japanese, guild, ann } = await bot.linked();
    for (let count = 0; count < 15; count += 1) spanish.webhook(guild.owner, `Hook ${count}`);
    japanese.deny('ManageWebhooks');
    const said = english.say(ann, 'We speak without a picture');
    const copies = await Promise.all([copyOf(said, spanish), copyOf(said, japanese)]);
    expect(copies.map(({ author }) => author)).toEqual(['Dragoman', 'Dragoman']);
    expect(copies.map(bodyOf)).toEqual([
      '**Ann**: es:We speak without a picture',
      '**Ann**: ja:We speak without a picture',
    ]);
    said.edit('We speak without any picture');
    await copyOf(said, japanese, (text) => text.includes('without any picture'));
    said.delete();
    await spanish.until(({ length }) => length === 0);
    await japanese.until(({ length }) => length === 0);
  });
});

describe('a server that is out of order for a while', () => {
  it('is caught up with when it is back', async () => {
    const { channel, guild, ann } = await bot.reading();
    guild.outage();
    const said = channel.say(ann, 'Nobody seems to hear me now');
    guild.recover();
    await replyTo(said);
    expect(repliesTo(said)).toHaveLength(1);
  });
});
