import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { MessageRef } from '../../../src/model/place.ts';
import { createInboxStore } from '../../../src/store/inbox/index.ts';
import { WATCH } from '../../../src/store/inbox/row.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { withPauses } from './paused-support.ts';
import { GENERAL } from './support.ts';

const { scene, sayAfter, after, pauseAfter, edit, later, waiting } = withPauses();

describe.each(['reply', 'compact', 'thread'] as const)(
  'an edit in a pause of a channel: %s',
  (mode) => {
    const shown = (): string =>
      [GENERAL.id, 'general/🇪🇸 español', 'general/🇯🇵 日本語']
        .flatMap((id) => scene.feed.texts(channel(id, id === GENERAL.id ? undefined : GENERAL.id)))
        .join('\n');
    const setUp = async (text = 'hello'): Promise<MessageRef> => {
      await scene.watches.set([watchOf(GENERAL, { mode, languages: ['es', 'ja'] })]);
      const { ref } = await scene.say(GENERAL, text);
      await scene.idle();
      await pauseAfter(1, GENERAL, true);
      return ref;
    };

    it('goes to no service until that is over, and changes the translations then', async () => {
      const ref = await setUp();
      for (const text of ['a first secret', 'at last']) await edit(ref, text);
      await later();
      expect(scene.contexts.has('at last')).toBe(false);
      expect(shown()).toContain('es(hello)');
      expect(await waiting()).toHaveLength(1);
      expect(JSON.stringify(await waiting())).not.toMatch(/secret|at last/);
      await scene.restart();
      await pauseAfter(2, GENERAL, false);
      await later();
      expect(shown()).toContain('es(at last)');
      expect(shown()).toContain('ja(at last)');
      expect(shown()).not.toMatch(/\((?:hello|.*secret)/);
      expect(await waiting()).toEqual([]);
    });

    it('waits again where another pause begins while it is translated', async () => {
      const ref = await setUp();
      await edit(ref, 'hello there');
      await pauseAfter(2, GENERAL, false);
      const release = scene.hold('hello there');
      const caughtUp = later();
      await expect.poll(() => scene.contexts.has('hello there')).toBe(true);
      await pauseAfter(3, GENERAL, true);
      release();
      await caughtUp;
      expect(shown()).not.toContain('(hello there)');
      await pauseAfter(4, GENERAL, false);
      await later();
      expect(shown()).toContain('es(hello there)');
    });

    it('is never shown in place of a later one', async () => {
      const ref = await setUp();
      await edit(ref, 'hello there');
      const slow = Promise.withResolvers<void>();
      let isChanging = false;
      scene.feed.during('update', async () => {
        isChanging = true;
        await slow.promise;
      });
      await pauseAfter(2, GENERAL, false);
      const caughtUp = later();
      await expect.poll(() => isChanging).toBe(true);
      await scene.listener.messageChanged(scene.feed.edit(ref, 'at last'));
      for (let turn = 0; turn < 200; turn += 1) await setImmediate();
      slow.resolve();
      await caughtUp;
      await later();
      expect(shown()).toContain('es(at last)');
      expect(shown()).not.toContain('(hello there)');
      expect(await waiting()).toEqual([]);
    });

    it('is not brought once another process took in a later one that has no words', async () => {
      const ref = await setUp();
      await edit(ref, 'hello there');
      const release = scene.hold('hello there');
      await pauseAfter(2, GENERAL, false);
      const caughtUp = later();
      await expect.poll(() => scene.contexts.has('hello there')).toBe(true);
      const other = createInboxStore({ store: scene.store, now: Date.now });
      const message = scene.feed.edit(ref, '🎉');
      const arrival = { message, purpose: WATCH, partition: '', writtenMs: 0, skip: 'no-words' };
      await other.accept(arrival);
      scene.clock.aheadMs += 60_000;
      vi.advanceTimersByTime(60_000);
      await expect.poll(shown).not.toContain('es(hello)');
      release();
      await caughtUp;
      await later();
      expect(shown()).not.toMatch(/es\(/);
      expect(await waiting()).toEqual([]);
    });

    it('brings no words of what had no translation, and nothing of what was deleted', async () => {
      const wordless = await setUp('🎉');
      after(0);
      await scene.watches.pause(GENERAL, false);
      const { ref } = await scene.say(GENERAL, 'hello');
      await scene.idle();
      await pauseAfter(1, GENERAL, true);
      await edit(wordless, 'a secret');
      await edit(ref, 'hello there');
      scene.feed.remove(ref);
      await scene.listener.messagesDeleted([ref]);
      await scene.idle();
      expect(shown()).not.toContain('es(hello)');
      await pauseAfter(2, GENERAL, false);
      await later();
      expect(shown()).not.toMatch(/es\(/);
      expect(await waiting()).toEqual([]);
    });

    it('brings nothing where auto-translate was turned off meanwhile, and waits no longer', async () => {
      const ref = await setUp();
      await edit(ref, 'hello there');
      await scene.watches.remove(GENERAL);
      await later();
      expect(await waiting()).toEqual([]);
      expect(shown()).toContain('es(hello)');
      expect(shown()).not.toContain('(hello there)');
    });

    it('changes the translation in a thread of people', async () => {
      if (mode === 'thread') return;
      await setUp();
      await pauseAfter(2, GENERAL, false);
      const plans = scene.feed.startThread(GENERAL, 'plans');
      const { ref } = await sayAfter(3, plans, 'hello');
      await scene.idle();
      await pauseAfter(4, GENERAL, true);
      await edit(ref, 'hello there');
      await later();
      expect(scene.feed.texts(plans).join()).not.toContain('es(hello there)');
      await pauseAfter(5, GENERAL, false);
      await later();
      expect(scene.feed.texts(plans).join()).toContain('es(hello there)');
    });
  },
);
