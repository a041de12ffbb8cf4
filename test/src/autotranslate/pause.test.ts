import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/model/place.ts';
import { isPaused } from '../../../src/model/space.ts';
import { sentence } from '../../fakes/sentences.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { ENGLISH, GENERAL, JAPANESE, linked, SPANISH, withScene } from './support.ts';

const HOUR_MS = 3_600_000;

const scene = withScene();

/** Says something that many hours after the start of the test. */
const sayAfter = async (hours: number, to: Channel, text: string) => {
  const position = String(Date.now() + hours * HOUR_MS).padStart(20, '0');
  return scene.say(to, text, { position });
};
const pauseAfter = async (hours: number, of: Channel, isPausing: boolean): Promise<void> => {
  scene.clock.aheadMs = hours * HOUR_MS;
  await scene.watches.pause(of, isPausing, { name: 'Ada', locale: 'en' });
  // What comes in the millisecond of its end is of the pause.
  scene.clock.aheadMs += 1;
};

describe('a paused channel', () => {
  it('gets no translations of what is written meanwhile, also once the pause is over and it is edited', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await pauseAfter(1, GENERAL, true);
    const message = await sayAfter(2, GENERAL, 'hello');
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [message.ref.id]: 'skipped paused' });
    await pauseAfter(3, GENERAL, false);
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
    await sayAfter(4, GENERAL, 'again');
    await scene.idle();
    const shown = scene.feed.texts(GENERAL).join('\n');
    expect(shown).toContain('es(again)');
    expect(shown).not.toContain('es(hello');
  });

  it('gets no translations of what was written in an earlier pause, either', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await pauseAfter(1, GENERAL, true);
    const message = await sayAfter(2, GENERAL, 'hello');
    await pauseAfter(3, GENERAL, false);
    await pauseAfter(4, GENERAL, true);
    await pauseAfter(5, GENERAL, false);
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
    await sayAfter(6, GENERAL, 'again');
    await scene.idle();
    const shown = scene.feed.texts(GENERAL).join('\n');
    expect(shown).toContain('es(again)');
    expect(shown).not.toContain('es(hello');
  });

  it('gets no translations of that once it is set up anew, whether it is read again or edited', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await pauseAfter(1, GENERAL, true);
    const { ref } = await sayAfter(2, GENERAL, 'hello');
    await pauseAfter(3, GENERAL, false);
    await scene.watches.remove(GENERAL);
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.listener.readMissed(GENERAL);
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'hello there'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL).join()).not.toContain('es(');
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped paused' });
  });

  it.each([ENGLISH, SPANISH])(
    'of a group neither takes nor brings edits until its end, and deletions at once: $id',
    async (of) => {
      await scene.watches.set(linked());
      const [message, other] = [await scene.say(ENGLISH, 'hello'), await scene.say(ENGLISH, 'bye')];
      await scene.idle();
      await pauseAfter(1, of, true);
      await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
      scene.feed.remove(other.ref);
      await scene.listener.messagesDeleted([other.ref]);
      await scene.idle();
      expect(scene.feed.texts(SPANISH)[0]).toBe('ada: es(hello) [🌐 inglés]');
      expect(scene.feed.texts(SPANISH).join()).not.toContain('bye');
      await pauseAfter(2, of, false);
      await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello again'));
      await scene.idle();
      expect(scene.feed.texts(SPANISH)[0]).toBe('ada: es(hello again) [🌐 inglés]');
    },
  );

  it('of a group is left out by the others, which go on', async () => {
    await scene.watches.set(linked());
    await pauseAfter(1, SPANISH, true);
    const message = await sayAfter(2, ENGLISH, 'hello');
    await sayAfter(2, SPANISH, 'es:hola');
    await scene.idle();
    await pauseAfter(3, SPANISH, false);
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
    await scene.idle();
    expect(scene.feed.texts(JAPANESE)).toEqual(['ada: ja(hello there) [🌐 英語]']);
    expect(scene.feed.texts(SPANISH)).toEqual([
      sentence('autotranslate.paused-linked', { name: 'Ada' }, 'es'),
      'es:hola',
      sentence('autotranslate.resumed-here', { name: 'Ada' }, 'es'),
    ]);
  });

  it('of a group is the reason why nothing is copied, also while the others are paused', async () => {
    await scene.watches.set(linked());
    for (const each of [ENGLISH, SPANISH, JAPANESE]) await pauseAfter(1, each, true);
    const { ref } = await sayAfter(2, ENGLISH, 'hello');
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped paused' });
  });

  it('of a group brings what was written in its pause by no later edit, however many pauses came since', async () => {
    await scene.watches.set(linked());
    await pauseAfter(1, ENGLISH, true);
    const message = await sayAfter(2, ENGLISH, 'hello');
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [message.ref.id]: 'skipped paused' });
    for (let hour = 3; hour < 50; hour += 1) await pauseAfter(hour, ENGLISH, hour % 2 === 0);
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
    await scene.idle();
    expect([...scene.feed.texts(SPANISH), ...scene.feed.texts(JAPANESE)].join()).not.toContain(
      'hello',
    );
  });

  it('is told of a pause once, whoever presses it at the same time', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await Promise.all([pauseAfter(1, GENERAL, true), pauseAfter(1, GENERAL, true)]);
    await scene.idle();
    expect(isPaused(scene.watches.of(GENERAL)!)).toBe(true);
    expect(scene.feed.texts(GENERAL)).toHaveLength(1);
  });
});

describe('a change of a watch', () => {
  it('keeps what others change at the same time', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const add = async (language: string) =>
      scene.watches.change(GENERAL, (watch) => ({
        ...watch,
        languages: [...watch.languages, language],
      }));
    await Promise.all([add('ja'), add('fr'), pauseAfter(1, GENERAL, true)]);
    const watch = scene.watches.of(GENERAL)!;
    expect(watch.languages.toSorted()).toEqual(['es', 'fr', 'ja']);
    expect(isPaused(watch)).toBe(true);
  });

  it('is none where auto-translate is off, or goes off at that moment', async () => {
    expect(await scene.watches.change(GENERAL, (watch) => watch)).toBeUndefined();
    await scene.watches.set([watchOf(GENERAL)]);
    const [, changed] = await Promise.all([
      scene.watches.remove(GENERAL),
      scene.watches.change(GENERAL, (watch) => ({ ...watch, bots: true })),
    ]);
    expect(changed).toBeUndefined();
    expect(scene.watches.of(GENERAL)).toBeUndefined();
  });
});

describe('a channel that joins a group', () => {
  const french = watchOf(GENERAL, { mode: 'mirror', languages: ['fr'] });

  it('is copied into and out of, and the others are told', async () => {
    await scene.watches.set(linked());
    const all = await scene.watches.join(french, ENGLISH, { by: { name: 'Ada', locale: 'en' } });
    expect(all).toHaveLength(4);
    await scene.say(SPANISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(GENERAL).at(-1)).toBe('ada: fr(hello) [🌐 anglais]');
    expect(scene.feed.texts(JAPANESE)).toHaveLength(2);
  });

  it('is refused with a channel that is linked with none, with itself, and in a mixed group', async () => {
    const key = (name: string) => ({ sentence: { key: `autotranslate.${name}` } });
    await expect(scene.watches.join(french, ENGLISH)).rejects.toMatchObject(key('not-linked'));
    await scene.watches.set(linked());
    const itself = scene.watches.join({ ...french, channel: ENGLISH }, ENGLISH);
    await expect(itself).rejects.toMatchObject(key('join-itself'));
    scene.feed.restrictByAge(GENERAL, true);
    await expect(scene.watches.join(french, ENGLISH)).rejects.toMatchObject(key('age-restricted'));
    expect(scene.watches.of(GENERAL)).toBeUndefined();
  });
});
