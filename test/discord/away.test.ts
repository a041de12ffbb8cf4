import { afterEach, describe, expect, it, vi } from 'vitest';
import { footersIn, isOfSource } from '../../adapters/discord/mirrors/parts.ts';
import type { FakeChannel, FakeMessage } from '../fakes/discord/index.ts';
import { bodyOf, copiesOf, copyOf, repliesTo, replyTo, textsIn } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();
const MINUTE_MS = 60_000;

/** Two channels that are translated in place, and two that are linked. */
const town = async () => {
  const at = await bot.linked();
  const south = at.guild.channel({ name: 'south' });
  for (const channel of [at.channel, south])
    await bot.use(at, 'autotranslate reply', { languages: 'es', channel });
  return { ...at, north: at.channel, south };
};
type Town = Awaited<ReturnType<typeof town>>;

/** Everybody talks; resolves with a check that each line is answered once and in order. */
const talk = ({ guild, north, south, english, spanish, ann, bob }: Town, lines: number) => {
  const said = [north, south, english].map((channel) =>
    Array.from({ length: lines }, (_, index) =>
      channel.say(index % 3 === 0 ? bob : ann, `What we talk about has the number ${index}`),
    ),
  ) as [FakeMessage[], FakeMessage[], FakeMessage[]];
  const inPlace = (channel: FakeChannel, all: readonly FakeMessage[]): string[] =>
    channel.messages.flatMap((one) =>
      all.filter(({ id }) => id === one.replyTo).map(({ id }) => id),
    );
  const place = { space: { platform: 'discord', id: guild.id }, id: english.id };
  const copied = (all: readonly FakeMessage[]): string[] =>
    textsIn(spanish)
      .flatMap((text) => footersIn(text))
      .flatMap(
        ({ line }) => all.find(({ id }) => isOfSource(line, { channel: place, id }))?.id ?? [],
      );
  const answered = (): string[][] => [
    inPlace(north, said[0]),
    inPlace(south, said[1]),
    copied(said[2]),
  ];
  return {
    said,
    answeredOnceInOrder: async (): Promise<void> => {
      await bot.discord.until(() => answered().every(({ length }) => length >= lines));
      expect(answered()).toEqual(said.map((all) => all.map(({ id }) => id)));
    },
  };
};

/** Lets time pass for everybody: Discord, its library and us. */
const pass = (ms: number): void => {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  bot.discord.clock.advance(ms);
};

afterEach(() => vi.restoreAllMocks());

describe('a connection that breaks', () => {
  it('and is taken up again loses nothing', async () => {
    const here = await town();
    const before = talk(here, 4);
    bot.discord.gateway.drop();
    const during = talk(here, 6);
    await before.answeredOnceInOrder();
    await during.answeredOnceInOrder();
    bot.discord.gateway.reconnect();
    await talk(here, 4).answeredOnceInOrder();
  });

  it('and whose session is over catches up with what came meanwhile', async () => {
    const here = await town();
    await talk(here, 2).answeredOnceInOrder();
    // The library identifies once in five seconds.
    pass(6_000);
    bot.discord.gateway.invalidate();
    const meanwhile = talk(here, 8);
    await meanwhile.answeredOnceInOrder();
    await talk(here, 2).answeredOnceInOrder();
  });
});

describe('ten minutes away', () => {
  it('are caught up in the order of each channel: nothing lost, nothing twice', async () => {
    const here = await town();
    const before = talk(here, 3);
    await before.answeredOnceInOrder();
    await bot.stop();
    const lines = talk(here, 15);
    bot.discord.clock.advance(10 * MINUTE_MS);
    const later = talk(here, 15);
    await bot.start();
    await lines.answeredOnceInOrder();
    await later.answeredOnceInOrder();
    await talk(here, 2).answeredOnceInOrder();
  });

  it('end with what people have edited and deleted meanwhile', async () => {
    const here = await town();
    const { english, spanish, north, ann, bob, guild } = here;
    guild.rename(bob, 'Robert 🎩');
    const [old] = talk(here, 4).said;
    for (const each of old) await replyTo(each);
    const copied = english.say(ann, 'This sentence stood before');
    await copyOf(copied, spanish);
    await bot.stop();
    old[1]!.edit('Another sentence in its place');
    old[2]!.delete();
    const fresh = north.say(ann, 'Written while nobody listened');
    fresh.edit('Changed while nobody listened');
    north.say(ann, 'Taken back while nobody listened').delete();
    copied.edit('This sentence was changed meanwhile');
    const byBob = english.say(bob, 'You know me under another name');
    bot.discord.clock.advance(10 * MINUTE_MS);
    await bot.start();
    expect((await replyTo(fresh)).content).toBe('🇪🇸 es:Changed while nobody listened');
    await replyTo(old[1]!, (text) => text.includes('Another sentence'));
    await copyOf(copied, spanish, (text) => text.includes('was changed meanwhile'));
    expect((await copyOf(byBob, spanish)).author).toBe('Robert 🎩');
    await bot.settled(here);
    expect(old.map((each) => repliesTo(each).length)).toEqual([1, 1, 0, 1]);
    expect(textsIn(north).join()).not.toContain('Taken back');
  });

  it('take nothing away that stands where the history may not be read any more', async () => {
    const { english, spanish, ann, ...at } = await town();
    const said = ['One', 'Two', 'Three'].map((word) => english.say(ann, `${word} of my sentences`));
    for (const each of said) await copyOf(each, spanish);
    await bot.stop();
    english.deny('ReadMessageHistory');
    await bot.start();
    const later = english.say(ann, 'Said after all of them');
    await copyOf(later, spanish);
    await bot.settled({ ...at, ann });
    for (const each of said) expect(copiesOf(each, spanish)).toHaveLength(1);
  });

  it('take nothing away where what people write may not be read any more', async () => {
    const { english, spanish, ann, ...at } = await town();
    const said = ['One', 'Two', 'Three'].map((word) => english.say(ann, `${word} of my sentences`));
    for (const each of said) await copyOf(each, spanish);
    await bot.stop();
    bot.discord.revokeIntent('MessageContent');
    await bot.start();
    await bot.settled({ ...at, ann });
    for (const each of said) expect(copiesOf(each, spanish)).toHaveLength(1);
    await bot.stop();
    bot.discord.grantIntent('MessageContent');
    await bot.start();
    await copyOf(english.say(ann, 'Said after all of them'), spanish);
    for (const each of said) expect(copiesOf(each, spanish)).toHaveLength(1);
  });

  it('take nothing away of what is older than anybody looks back', async () => {
    const { english, spanish, ann, ...at } = await town();
    const said = ['One', 'Two', 'Three'].map((word) => english.say(ann, `${word} of my sentences`));
    for (const each of said) await copyOf(each, spanish);
    await bot.stop();
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 48 * 60 * MINUTE_MS);
    await bot.start();
    for (const each of said) {
      each.edit('Changed two days later');
      await copyOf(each, spanish, (text) => text.includes('two days later'));
    }
    await bot.settled({ ...at, ann });
    await bot.stop();
    await bot.start();
    await copyOf(english.say(ann, 'Said after all of them'), spanish);
    await bot.settled({ ...at, ann });
    expect(spanish.messages.map(bodyOf)).toEqual([
      ...said.map(() => 'es:Changed two days later'),
      'es:Said after all of them',
    ]);
  });
});

describe('a channel that was hidden from us', () => {
  it('gets what was written in it meanwhile, once we see it again', async () => {
    const at = await bot.reading();
    const { channel, ann } = at;
    await replyTo(channel.say(ann, 'Before all of this happened'));
    channel.deny('ViewChannel');
    const unseen = channel.say(ann, 'While nobody of us could see it');
    channel.allow('ViewChannel');
    await replyTo(unseen);
    await replyTo(channel.say(ann, 'After all of this happened'));
    expect(repliesTo(unseen)).toHaveLength(1);
  });
});
