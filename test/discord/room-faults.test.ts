import { beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { realClock } from '../../src/async/clock.ts';
import type { FakeChannel, VoicePerson } from '../fakes/discord/index.ts';
import { numberedSpeech, wordsHeard, wordsOf, wordsShown } from '../fakes/numbered-speech.ts';
import { hasPart, textsIn } from './shown.ts';
import { withBot } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

// Voice is heard at its own pace.
const bot = withBot({ clock: realClock });
beforeAll(() => {
  bot.speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
  bot.speech.translate = (text) => `¡Ah! ${text.toUpperCase()}`;
});

const WORDS = 6;
const FAST = { speed: 10 };

interface Room {
  readonly lounge: FakeChannel;
  readonly person: VoicePerson;
  readonly group: ReturnType<typeof bot.encryption>;
  /** Says the next utterance, and tells its words. */
  speak(options?: Parameters<VoicePerson['speak']>[1]): Promise<readonly string[]>;
  shows(...parts: (string | RegExp)[]): Promise<void>;
  /** What is said now is shown, and nothing stands twice or in another order than it was said. */
  goesOn(): Promise<void>;
  settled(): Promise<void>;
}

let speakers = 0;

const openRoom = async (languages = ''): Promise<Room> => {
  const place = bot.place();
  const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
  const person = lounge.join(place.ann);
  const speaker = speakers;
  speakers += 1;
  let utterance = 0;
  let rooms = await bot.use(place, 'rooms');
  rooms = await bot.press(rooms, 'rooms page:heard', undefined, place.guild.owner);
  await bot.press(rooms, 'rooms spoken:off', undefined, place.guild.owner);
  await bot.use(place, 'captions start', languages === '' ? {} : { languages }, place.ann);
  const group = bot.encryption(lounge);

  const room: Room = {
    lounge,
    person,
    group,
    settled: async () => {
      const isReady = (): boolean =>
        bot.discord.voice.connections.some((one) => one.channelId === lounge.id && one.ready);
      await bot.discord.until(isReady);
      await group.whenSettled();
    },
    speak: async (options = {}) => {
      utterance += 1;
      await person.speak(numberedSpeech(speaker, utterance, WORDS), { ...FAST, ...options });
      return wordsOf(speaker, utterance, WORDS);
    },
    shows: async (...parts) => {
      await lounge.until(() => {
        const all = textsIn(lounge).join('\n');
        return parts.every((part) => hasPart(all, part));
      });
    },
    goesOn: async () => {
      await room.settled();
      const words = await room.speak();
      await room.shows(words.at(-1)!);
      const all = textsIn(lounge).flatMap(wordsShown);
      expect(all).toEqual([...new Set(all)].toSorted((a, b) => numberOf(a) - numberOf(b)));
      expect(all).toEqual(expect.arrayContaining([...words]));
    },
  };
  await room.settled();
  return room;
};

const numberOf = (word: string): number => {
  const [utterance, at] = word.slice(1).split('x').map(Number) as [number, number];
  return utterance * WORDS + at;
};

describe.concurrent('captions go on', () => {
  it.each(['drop', 4006] as const)('after the voice gateway ended: %s', async (how) => {
    const room = await openRoom();
    const speaking = room.speak({ speed: 1 });
    if (how === 'drop') bot.discord.voice.drop(room.lounge);
    else bot.discord.voice.close(how, room.lounge);
    await speaking;
    await room.goesOn();
  });

  it('on another voice server', async () => {
    const room = await openRoom();
    const speaking = room.speak({ speed: 1 });
    await bot.discord.voice.moveRegion(room.lounge);
    await speaking;
    await room.goesOn();
  });

  it('after the encryption began anew, with a transition that has no number', async () => {
    const room = await openRoom();
    room.group.useTransitionZero(true);
    room.group.recreate();
    await room.goesOn();
    room.group.useTransitionZero(false);
    room.group.encrypt(false);
    await room.speak();
    room.group.encrypt(true);
    await room.goesOn();
  });

  it('after a change of keys arrived damaged', async () => {
    const room = await openRoom();
    room.group.damageNext(bot.discord.botUser.id, 29);
    const bob = room.lounge.join(bot.discord.user({ name: 'Bob' }));
    await room.settled();
    await room.speak();
    bob.leave();
    await room.goesOn();
  });

  it('when somebody can be understood again, which was told', async () => {
    const room = await openRoom();
    for (let time = 0; time < 5; time += 1) await room.speak({ spoil: 'dave' });
    await room.shows(sentence('room.cannot-hear', { name: 'Ann' }));
    // What is said before other keys are there is lost.
    const again = sentence('room.hears-again', { name: 'Ann' });
    while (!textsIn(room.lounge).some((text) => hasPart(text, again))) await room.speak();
    await room.goesOn();
  });

  it('after a moderator muted and deafened the bot, which was told with its end', async () => {
    const room = await openRoom();
    const { botUser } = bot.discord;
    room.lounge.moderate(botUser, { mute: true, deaf: true });
    await room.shows(
      sentence('room.muted', { permission: 'Mute Members' }),
      sentence('room.deafened', { permission: 'Deafen Members' }),
    );
    room.lounge.moderate(botUser, { mute: false, deaf: false });
    await room.shows(sentence('room.may-speak'), sentenceLike('room.may-hear'));
    await room.goesOn();
  });

  it('where a moderator deleted what was there, without it', async () => {
    const room = await openRoom();
    await room.goesOn();
    const message = room.lounge.last!;
    const before = wordsShown(message.content);
    message.delete();
    await room.goesOn();
    expect(textsIn(room.lounge).flatMap(wordsShown)).not.toEqual(
      expect.arrayContaining([before[0]]),
    );
  });

  it('without translations while there are none', async () => {
    const room = await openRoom('es');
    const flood = Array.from({ length: 50 }, () => ({ status: 503 }));
    bot.speech.fail(PATHS.translate, ...flood);
    await room.goesOn();
    await room.shows('🇪🇸 ⚠️');
    bot.speech.heal();
    const words = await room.speak();
    await room.shows(words[0]!.toUpperCase());
  });
});

describe('captions of a room', () => {
  it('go on when the recogniser is there again, and why there were none was told', async () => {
    const room = await openRoom();
    bot.speech.fail(PATHS.asr, ...Array.from({ length: 50 }, () => ({ status: 503 })));
    await room.speak();
    await room.shows(sentence('room.trouble-away'));
    bot.speech.heal();
    await room.goesOn();
  });

  it('go on while the gateway is away, and after it', async () => {
    const room = await openRoom();
    bot.discord.gateway.drop();
    await room.goesOn();
    await bot.discord.online();
    await room.goesOn();
  });
});
