import { describe, expect, it } from 'vitest';
import { createReadTranslations } from '../../../../src/autotranslate/asked/translations.ts';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import { channel } from '../../../fakes/channel-feed.ts';

const MINUTE_MS = 60_000;

const message = (words = 'hello', id = '1') => ({
  ref: { channel: channel('here'), id },
  text: plainWords(words),
});
const translation = (words: string) =>
  ({ text: plainWords(words), from: 'en', to: 'es', outcome: 'translated' }) as const;

const open = () => {
  const clock = { now: 0 };
  const timers: (() => void)[] = [];
  const after = (_: number, run: () => void) => {
    timers.push(run);
    return () => {};
  };
  const translations = createReadTranslations(() => clock.now, after);
  translations.begin()(message(), 'es', translation('hola'));
  return { clock, translations, timers };
};

describe('translations of messages that were read', () => {
  it('stand for the same words of the same message in the same language', () => {
    const { translations } = open();
    expect(translations.of(message(), 'es')).toEqual(translation('hola'));
    expect(translations.of(message(), 'fr')).toBeUndefined();
    expect(translations.of(message('changed'), 'es')).toBeUndefined();
    expect(translations.of(message('hello', '2'), 'es')).toBeUndefined();
  });

  it('are kept for as long as an answer can be pressed', () => {
    const { clock, translations } = open();
    clock.now = 14 * MINUTE_MS;
    expect(translations.of(message(), 'es')).toBeDefined();
    clock.now = 15 * MINUTE_MS;
    expect(translations.of(message(), 'es')).toBeUndefined();
  });

  it('are dropped once their time is over, whether anybody asks for them or not', () => {
    const { clock, translations, timers } = open();
    clock.now = 14 * MINUTE_MS;
    translations.begin()(message('later', '2'), 'es', translation('luego'));
    expect(timers).toHaveLength(1);
    clock.now = 15 * MINUTE_MS;
    timers.shift()?.();
    clock.now = 0;
    expect(translations.of(message(), 'es')).toBeUndefined();
    expect(translations.of(message('later', '2'), 'es')).toBeDefined();
    clock.now = 30 * MINUTE_MS;
    timers.shift()?.();
    expect(timers).toEqual([]);
    clock.now = 0;
    expect(translations.of(message('later', '2'), 'es')).toBeUndefined();
  });

  it('are forgotten, those that were under way too', () => {
    const { translations } = open();
    const keep = translations.begin();
    translations.forget(undefined);
    keep(message(), 'es', translation('hola'));
    expect(translations.of(message(), 'es')).toBeUndefined();
  });

  it('of one space are forgotten alone: those of others stand, also where they were under way', () => {
    const { translations } = open();
    const elsewhere = message('there');
    const channelThere = { ...channel('there'), space: { platform: 'place', id: 'other' } };
    const there = { ...elsewhere, ref: { ...elsewhere.ref, channel: channelThere } };
    const keep = translations.begin();
    translations.forget(message().ref.channel.space);
    for (const one of [message(), there]) keep(one, 'es', translation('hola'));
    expect(translations.of(message(), 'es')).toBeUndefined();
    expect(translations.of(there, 'es')).toBeDefined();
    translations.forget(message().ref.channel.space);
    expect(translations.of(there, 'es')).toBeDefined();
    translations.begin()(message(), 'es', translation('hola'));
    expect(translations.of(message(), 'es')).toBeDefined();
    translations.forget(undefined);
    for (const one of [message(), there]) expect(translations.of(one, 'es')).toBeUndefined();
  });

  it('are bounded: the oldest go first', () => {
    const { translations } = open();
    const long = 'x'.repeat(200_000);
    for (const id of ['2', '3']) translations.begin()(message(long, id), 'es', translation('y'));
    translations.begin()(message(long, '4'), 'es', translation('y'));
    expect(translations.of(message(), 'es')).toBeUndefined();
    expect(translations.of(message(long, '2'), 'es')).toBeUndefined();
    expect(translations.of(message(long, '4'), 'es')).toBeDefined();
  });
});
