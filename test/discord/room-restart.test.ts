import { beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../src/async/clock.ts';
import { numberedSpeech, wordsHeard, wordsOf } from '../fakes/numbered-speech.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import { hasPart, textsIn } from './shown.ts';
import { withBot } from './support.ts';

// Voice is heard at its own pace.
const bot = withBot({ clock: realClock });
beforeAll(() => {
  bot.speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
});

const WORDS = 6;

describe('a program that is stopped and started again', () => {
  it('says that captions may go on, and goes on with them', async () => {
    const place = bot.place();
    const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
    const person = lounge.join(place.ann);
    const panel = await bot.use(place, 'rooms');
    await bot.press(panel, 'rooms page:heard', undefined, place.guild.owner);
    await bot.press(panel, 'rooms spoken:off', undefined, place.guild.owner);
    await bot.use(place, 'captions start', { transcript: 'txt' }, place.ann);
    const shows = (part: string | RegExp) =>
      lounge.until((messages) => messages.some(({ content }) => hasPart(content, part)));
    await person.speak(numberedSpeech(0, 1, WORDS));
    await shows(wordsOf(0, 1, WORDS).at(-1)!);

    await bot.stop();
    expect(textsIn(lounge).join('\n')).toContain(sentence('room.stopping'));
    await bot.start();
    await shows(sentenceLike('room.restarted'));
    const isThere = (): boolean =>
      bot.discord.voice.connections.some(
        ({ channelId, ready }) => channelId === lounge.id && ready,
      );
    await bot.discord.until(isThere);
    await person.speak(numberedSpeech(0, 2, WORDS));
    await shows(wordsOf(0, 2, WORDS).at(-1)!);
    await bot.use(place, 'leave');
  });

  it('tells who started the captions where it may not come back, nor write there', async () => {
    const place = bot.place();
    const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
    const person = lounge.join(place.ann);
    await bot.use(place, 'captions start', {}, place.ann);
    await bot.stop();
    lounge.deny('ViewChannel');
    await bot.start();
    await place.ann
      .dm()
      .until((messages) =>
        messages.some(({ content }) => hasPart(content, sentenceLike('room.not-back'))),
      );
    expect(textsIn(place.ann.dm()).join()).toContain('View Channel');
    person.leave();
  });

  it('is back once in a channel that it had joined by itself, with one notice', async () => {
    const place = bot.place();
    const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
    const panel = await bot.use(place, 'rooms');
    const press = (control: string, values?: readonly string[]) =>
      bot.press(panel, control, values, place.guild.owner);
    await press('rooms page:heard');
    await press('rooms spoken:off');
    await press('rooms page');
    await press('rooms page:joins');
    await press('rooms joins', [lounge.id]);
    const person = lounge.join(place.ann);
    const shows = (part: string | RegExp) =>
      lounge.until((messages) => messages.some(({ content }) => hasPart(content, part)));
    await shows(sentence('room.notice'));
    await person.speak(numberedSpeech(0, 1, WORDS));
    await shows(wordsOf(0, 1, WORDS).at(-1)!);
    await bot.stop();
    await bot.start();
    await shows(sentenceLike('room.restarted'));
    await person.speak(numberedSpeech(0, 2, WORDS));
    await shows(wordsOf(0, 2, WORDS).at(-1)!);
    const texts = textsIn(lounge);
    expect(texts.filter((text) => text.includes(sentence('room.notice')))).toHaveLength(1);
    expect(texts.filter((text) => sentenceLike('room.restarted').test(text))).toHaveLength(1);
    person.leave();
    // It is as if it had joined by itself again.
    await press('rooms joins', []);
    await bot.discord.until(() =>
      bot.discord.voice.connections.every(({ channelId }) => channelId !== lounge.id),
    );
  });
});
