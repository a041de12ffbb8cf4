import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Message } from '../../../src/model/message.ts';
import { channel, person, SPACE } from '../../fakes/channel-feed.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { realTexts as texts } from '../../fakes/texts.ts';
import { ENGLISH, JAPANESE, refused, untilGivenUp, withScene, WORKSPACE } from './support.ts';

const SPANISH = channel('spanish', undefined, WORKSPACE);
const busy = (): AppError =>
  new AppError('rate-limited', 'too many', { retryable: true, retryAfterMs: 45_000 });

const away = (): AppError => new AppError('unavailable', 'away', { retryable: true });

describe('in linked channels of two servers, each with its own key', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [JAPANESE, 'ja']));
  /** The copies of messages in the channels, without names and marks. */
  const copies = () => ({
    english: scene.feed.texts(ENGLISH).flatMap((text) => /en\((.*)\)/.exec(text)?.[1] ?? []),
    spanish: scene.other.texts(SPANISH).flatMap((text) => /es\((.*)\)/.exec(text)?.[1] ?? []),
  });
  /** The copies of both in one channel. */
  const conversation = (): string[] =>
    scene.feed.texts(JAPANESE).flatMap((text) => /ja\((.*)\)/.exec(text)?.[1] ?? []);
  const bothBring = (fault: AppError | 'hangs' | undefined): void => {
    scene.ownKeys.set(SPACE.id, fault).set(WORKSPACE.id, undefined);
  };
  /** Says something now, by the clock of the scene: in Spanish where it begins so. */
  const say = (text: string): Promise<Message> => {
    const position = scene.feed.feed.positionAt(Date.now() + scene.clock.aheadMs);
    return text.startsWith('es:')
      ? scene.say(SPANISH, text, { author: person('eva'), position })
      : scene.say(ENGLISH, text, { position });
  };
  /** Lets work go on for which no time has to pass. */
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  };
  /** Lets time pass in small steps, while work is under way. */
  const pass = async (seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at += 1) {
      scene.clock.aheadMs += 1_000;
      await vi.advanceTimersByTimeAsync(1_000);
      await turns();
    }
  };
  const restart = async (): Promise<void> => {
    const end = { isOver: false };
    const over = scene.restart().finally(() => {
      end.isOver = true;
    });
    await turns();
    // What is under way then has some seconds to end.
    while (!end.isOver) await pass(1);
    await over;
    for (const { platform } of [SPACE, WORKSPACE]) scene.listener.connected(platform);
  };

  it.each([
    ['is refused', refused(401)],
    ['has no credit', refused(402)],
    ['has no access', refused(403)],
    ['may ask nothing for minutes', busy()],
    ['meets an outage', away()],
    ['is never answered', 'hangs' as const],
  ])('one that %s holds up no message of the other', async (_, fault) => {
    bothBring(fault);
    for (const text of ['1', '2', '3']) await say(text);
    await say('es:a');
    await pass(15);
    expect(copies()).toEqual({ english: ['es:a'], spanish: [] });
    // Neither later, whatever is tried meanwhile.
    for (const text of ['es:b', 'es:c', 'es:d']) {
      await pass(fault === 'hangs' ? 17 : 7);
      await say(`4 ${text}`);
      await say(text);
      await pass(1);
      expect(copies().english.at(-1)).toBe(text);
    }
    expect(copies().spanish).toEqual([]);
    bothBring(undefined);
    await pass(100);
    expect(copies()).toEqual({
      english: ['es:a', 'es:b', 'es:c', 'es:d'],
      spanish: ['1', '2', '3', '4 es:b', '4 es:c', '4 es:d'],
    });
  });

  it('a message that waits for its key is shown as it was edited, or not at all, once', async () => {
    bothBring(refused(401));
    const one = await say('one');
    const two = await say('two');
    await say('three');
    await scene.later();
    await scene.listener.messageChanged(scene.feed.edit(one.ref, 'uno'));
    scene.feed.remove(two.ref);
    await scene.listener.messagesDeleted([two.ref]);
    await restart();
    await scene.later();
    await say('es:a');
    await scene.idle();
    expect(copies()).toEqual({ english: ['es:a'], spanish: [] });
    await untilGivenUp(scene);
    bothBring(undefined);
    await scene.later();
    await scene.later();
    expect(copies().spanish).toEqual(['uno', 'three']);
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ waiting: 0, dead: 0 });
  });

  it('is told where the key is, and nowhere else', async () => {
    bothBring(refused(402));
    await say('hello');
    await say('es:a');
    await untilGivenUp(scene);
    const t = texts.in('en');
    const line = t('autotranslate.paused', { reason: t('service.no-credit') });
    expect(scene.feed.texts(ENGLISH).filter((text) => text === line)).toHaveLength(1);
    expect(scene.other.texts(SPANISH)).toEqual(['es:a']);
    expect((await scene.inbox.backlog(WORKSPACE)).outage).toBeUndefined();
  });

  it('an outage of the whole service is told where messages wait, and nowhere else', async () => {
    scene.service.fault = refused(402);
    const t = texts.in('en');
    const paused = t('autotranslate.paused', { reason: t('service.no-credit') });
    await say('hello');
    await pass(1);
    expect(scene.feed.texts(ENGLISH)).toEqual(['hello', paused]);
    expect(scene.other.texts(SPANISH)).toEqual([]);
    await say('es:a');
    await pass(1);
    expect(scene.other.texts(SPANISH)).toHaveLength(2);
  });

  it('goes on at once with another key', async () => {
    bothBring(refused(401));
    await say('hello');
    await scene.idle();
    bothBring(undefined);
    await scene.store.write((db) => scene.store.signals.publish(db, 'space-key', SPACE));
    await scene.idle();
    expect(copies().spanish).toEqual(['hello']);
  });

  it('a message that cannot be read holds up those of its own server alone, over a restart too', async () => {
    bothBring(busy());
    const { ref } = await say('unread');
    await pass(2);
    await scene.store.updateTable('inbox').set({ message: null }).execute();
    for (let time = 0; time < 40; time += 1) scene.feed.fail({ call: 'read', error: away() });
    bothBring(undefined);
    await say('2');
    await pass(60);
    for (const text of ['es:a', 'es:b']) {
      // The end of an outage of the other's key comes before the next try.
      scene.ownKeys.set(WORKSPACE.id, refused(401));
      await say(text);
      await pass(1);
      scene.ownKeys.set(WORKSPACE.id, undefined);
      await scene.store.write((db) => scene.store.signals.publish(db, 'space-key', WORKSPACE));
      await pass(1);
      expect(copies().english.at(-1)).toBe(text);
      await restart();
    }
    expect(copies().spanish).toEqual([]);
    await pass(400);
    expect(await scene.outcomes()).toMatchObject({ [ref.id]: 'dead unavailable' });
    expect(copies().spanish).toEqual(['2']);
  });

  it('an outage of the whole service keeps the order of the conversation', async () => {
    bothBring(undefined);
    scene.service.fault = away();
    const said = ['1', 'es:2', '3', 'es:4', '5'];
    for (const text of said) {
      await say(text);
      await scene.later();
    }
    scene.service.fault = undefined;
    for (let minutes = 0; minutes < 3; minutes += 1) await scene.later();
    expect(conversation()).toEqual(said);
  });

  it('each server’s messages keep their order and come once, whatever its key meets', async () => {
    const faults = [undefined, undefined, refused(401), busy(), away(), 'hangs'] as const;
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('', 'es:') },
      fc.record({ of: fc.constantFrom(SPACE, WORKSPACE), meets: fc.constantFrom(...faults) }),
      fc.integer({ min: 1, max: 70 }),
      fc.constant('restart' as const),
    );
    bothBring(undefined);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const said: string[] = [];
        const before = conversation().length;
        for (const one of steps) {
          if (typeof one === 'number') await pass(one);
          else if (one === 'restart') await restart();
          else if (typeof one === 'object') scene.ownKeys.set(one.of.id, one.meets);
          else {
            said.push(`${one}${(count += 1)}`);
            await say(said.at(-1)!);
          }
        }
        for (const { id } of [SPACE, WORKSPACE]) scene.ownKeys.set(id, undefined);
        await pass(300);
        const shown = conversation().slice(before);
        expect(shown).toHaveLength(said.length);
        for (const isSpanish of [true, false]) {
          const ofOne = (all: readonly string[]): readonly string[] =>
            all.filter((text) => text.startsWith('es:') === isSpanish);
          expect(ofOne(shown)).toEqual(ofOne(said));
        }
      }),
      // A restart while a message waits for an answer that never comes.
      { numRuns: 12, examples: [[[{ of: SPACE, meets: 'hangs' }, '', 1, 'restart', 'es:']]] },
    );
  });
});
