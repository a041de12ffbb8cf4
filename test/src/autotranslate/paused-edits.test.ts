import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { MessageRef } from '../../../src/model/place.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, lost, person, SPACE } from '../../fakes/channel-feed.ts';
import { THERE } from './links/support.ts';
import { HOUR_MS, withPauses } from './paused-support.ts';
import { ENGLISH, JAPANESE, linked, SPANISH } from './support.ts';

const ADA = { platform: SPACE.platform, id: 'ada' };
const { scene, sayAfter, after, pauseAfter, edit, later, spanish, waiting, editedInPause } =
  withPauses();

describe('an edit that was made in a pause', () => {
  it.each([ENGLISH, SPANISH])('changes the copies once that is over: $id', async (of) => {
    await editedInPause(of);
    await later();
    expect(scene.feed.texts(SPANISH)[0]).toBe('ada: es(hello) [🌐 inglés]');
    expect(scene.feed.texts(JAPANESE)[0]).toContain(
      of === ENGLISH ? 'ja(hello)' : 'ja(hello there)',
    );
    await pauseAfter(2, of, false);
    await later();
    expect(scene.feed.texts(SPANISH)[0]).toBe('ada: es(hello there) [🌐 inglés]');
    expect(scene.feed.texts(JAPANESE)[0]).toContain('ja(hello there)');
    expect(await waiting()).toEqual([]);
  });

  it('changes the copies after a restart, also where the pause ended while no process ran', async () => {
    await editedInPause(SPANISH);
    await scene.restart();
    await later();
    expect(spanish()).toContain('es(hello)');
    await pauseAfter(2, SPANISH, false);
    await scene.restart();
    await later();
    expect(spanish()).toContain('es(hello there)');
  });

  it.each([ENGLISH, SPANISH])(
    'of a message in a thread waits untouched, and changes the copy once that is over: $id',
    async (of) => {
      await scene.watches.set(linked());
      const { ref } = await scene.say(scene.feed.startThread(ENGLISH, 'plans'), 'hello');
      await scene.idle();
      const copies = (): string =>
        [...scene.feed.threads.keys()]
          .filter((id) => id.startsWith(`${SPANISH.id}/`))
          .flatMap((id) => scene.feed.texts(channel(id, SPANISH.id)))
          .join();
      await pauseAfter(1, of, true);
      await edit(ref, 'hello there');
      const before = await waiting();
      await later();
      expect(await waiting()).toEqual(before);
      expect(copies()).toContain('es(hello)');
      await pauseAfter(2, of, false);
      await later();
      expect(copies()).toContain('es(hello there)');
      expect(await waiting()).toEqual([]);
    },
  );

  it('is one piece of work with those before it, and no text of them is stored', async () => {
    const ref = await editedInPause(SPANISH);
    for (const text of ['a second secret', 'a third secret']) await edit(ref, text);
    const rows = await waiting();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/hello|secret/);
    const before = scene.asked.get('es');
    await pauseAfter(2, SPANISH, false);
    await later();
    expect(spanish()).toContain('es(a third secret)');
    expect(scene.asked.get('es')).toBe(before! + 1);
  });

  it('brings the present words where it was edited again after the pause, and before its turn', async () => {
    const ref = await editedInPause(SPANISH);
    await pauseAfter(2, SPANISH, false);
    await edit(ref, 'at last');
    await later();
    expect(spanish()).toContain('es(at last)');
    expect(spanish()).not.toContain('hello there');
    expect(await waiting()).toEqual([]);
  });

  it('brings the present words where it was edited again while its copy was changed', async () => {
    const ref = await editedInPause(SPANISH);
    const slow = Promise.withResolvers<void>();
    let isChanging = false;
    scene.feed.during('update', async () => {
      isChanging = true;
      await slow.promise;
    });
    await pauseAfter(2, SPANISH, false);
    const caughtUp = later();
    await expect.poll(() => isChanging).toBe(true);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'at last'));
    await expect.poll(() => scene.feed.texts(JAPANESE)[0]).toContain('ja(at last)');
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    slow.resolve();
    await caughtUp;
    await later();
    expect(spanish()).toContain('es(at last)');
    expect(await waiting()).toEqual([]);
  });

  it('waits for the end of another pause that begins before its turn', async () => {
    await editedInPause(SPANISH);
    await pauseAfter(2, SPANISH, false);
    await pauseAfter(3, ENGLISH, true);
    await later();
    expect(spanish()).toContain('es(hello)');
    await pauseAfter(4, ENGLISH, false);
    await later();
    expect(spanish()).toContain('es(hello there)');
  });

  it('waits again where another pause begins while it is translated', async () => {
    await editedInPause(SPANISH);
    await pauseAfter(2, SPANISH, false);
    const release = scene.hold('hello there');
    const caughtUp = later();
    await expect.poll(() => scene.contexts.has('hello there')).toBe(true);
    await pauseAfter(3, ENGLISH, true);
    release();
    await caughtUp;
    expect(spanish()).toContain('es(hello)');
    await pauseAfter(4, ENGLISH, false);
    await later();
    expect(spanish()).toContain('es(hello there)');
  });

  it('brings nothing where the message was deleted, or the copy was', async () => {
    await scene.watches.set(linked());
    const refs: MessageRef[] = [];
    for (const text of ['one', 'two', 'three']) refs.push((await scene.say(ENGLISH, text)).ref);
    await scene.idle();
    const [deleted, unreported, kept] = refs as [MessageRef, MessageRef, MessageRef];
    const copies = scene.feed.messages(SPANISH);
    await pauseAfter(1, SPANISH, true);
    for (const ref of refs) await edit(ref, 'edited');
    expect(await waiting()).toHaveLength(3);
    for (const ref of [deleted, unreported, copies[2]!.ref]) scene.feed.remove(ref);
    await scene.listener.messagesDeleted([deleted]);
    await scene.idle();
    expect((await waiting()).map((row) => row.message_id)).toEqual([unreported.id, kept.id]);
    await pauseAfter(2, SPANISH, false);
    await later();
    expect(scene.feed.texts(SPANISH)).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  it('brings nothing of who opted out, nor where the data of its author was deleted', async () => {
    await editedInPause(SPANISH);
    await scene.privacy.setOptedOut(ADA, true);
    await scene.forget(ADA);
    await pauseAfter(2, SPANISH, false);
    await later();
    expect(spanish()).not.toContain('hello there');
    await scene.privacy.setOptedOut(ADA, false);
    const { ref } = await sayAfter(3, ENGLISH, 'again');
    await scene.idle();
    await pauseAfter(4, SPANISH, true);
    await edit(ref, 'again and again');
    expect(await waiting()).toHaveLength(1);
    await scene.privacy.forget(ADA);
    await scene.forget(ADA);
    await scene.idle();
    expect(await scene.store.selectFrom('inbox').selectAll().execute()).toEqual([]);
    await pauseAfter(5, SPANISH, false);
    await later();
    expect(spanish()).not.toContain('again and again');
  });

  it('brings nothing where the link ended meanwhile, and waits no longer', async () => {
    await editedInPause(SPANISH);
    await scene.watches.remove(SPANISH);
    await later();
    expect(await waiting()).toEqual([]);
    expect(spanish()).toContain('es(hello)');
    expect(spanish()).not.toContain('hello there');
  });

  it('brings nothing where its copy is no longer known', async () => {
    await editedInPause(SPANISH);
    await scene.store.write((db) => db.deleteFrom('mirror').execute());
    await scene.store.write((db) => db.deleteFrom('mirror_message').execute());
    await pauseAfter(2, SPANISH, false);
    await later();
    expect(scene.feed.texts(SPANISH)).toHaveLength(1);
    expect(spanish()).not.toContain('hello there');
    expect(await waiting()).toEqual([]);
  });

  it('brings the present words where an earlier edit waited for the channel, which could not be reached', async () => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.feed.sick.set(SPANISH.id, async () => {
      throw lost();
    });
    await edit(ref, 'a first secret');
    await pauseAfter(1, SPANISH, true);
    await edit(ref, 'at last');
    const rows = await waiting();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('secret');
    scene.feed.sick.clear();
    await later();
    expect(spanish()).toContain('es(hello)');
    await pauseAfter(2, SPANISH, false);
    await later();
    expect(spanish()).toContain('es(at last)');
  });

  it.each([
    ['changes the copies where the channel can be reached some hours after that', 5, true],
    ['is given up where it cannot be reached for more than a day', 50, false],
  ])('%s', async (_, hours, isShown) => {
    await scene.watches.set(linked());
    const refs: MessageRef[] = [];
    for (const text of ['one', 'two']) refs.push((await scene.say(ENGLISH, text)).ref);
    await scene.idle();
    await pauseAfter(1, SPANISH, true);
    for (const [index, ref] of refs.entries()) await edit(ref, `changed ${index}`);
    scene.feed.sick.set(SPANISH.id, async () => {
      throw lost();
    });
    await pauseAfter(60, SPANISH, false);
    await later();
    for (let at = 0; at < hours * 6; at += 1) {
      scene.clock.aheadMs += 9 * 60_000;
      await scene.later();
    }
    scene.feed.sick.clear();
    await later();
    await later();
    expect(spanish().includes('es(changed 0)')).toBe(isShown);
    expect(spanish().includes('es(changed 1)')).toBe(isShown);
    expect(await waiting()).toEqual([]);
  });

  it('is translated once where another channel takes it later than that', async () => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.feed.sick.set(JAPANESE.id, async () => {
      throw lost();
    });
    await pauseAfter(1, SPANISH, true);
    await edit(ref, 'hello there');
    await pauseAfter(2, SPANISH, false);
    await later();
    expect(spanish()).toContain('es(hello there)');
    const before = scene.asked.get('es');
    scene.feed.sick.clear();
    for (let times = 0; times < 3; times += 1) await later();
    expect(scene.feed.texts(JAPANESE)[0]).toContain('ja(hello there)');
    expect(scene.asked.get('es')).toBe(before);
  });

  it('waits beside the others, and keeps nobody else from being copied', async () => {
    await scene.watches.set(linked());
    const said = [];
    for (let at = 0; at < 60; at += 1) said.push(await scene.say(ENGLISH, `text ${at}.`));
    await scene.idle();
    await pauseAfter(1, SPANISH, true);
    for (const { ref } of said.toReversed())
      await scene.listener.messageChanged(scene.feed.edit(ref, `edit of ${ref.id}`));
    await scene.idle();
    const release = scene.hold(`edit of ${said[0]!.ref.id}`);
    await pauseAfter(2, SPANISH, false);
    scene.clock.aheadMs += 60_000;
    const caughtUp = later();
    await sayAfter(3, ENGLISH, 'new');
    await expect.poll(() => spanish()).toContain('es(new)');
    expect(spanish()).not.toContain('es(edit');
    release();
    await caughtUp;
    await scene.idle();
    expect(spanish().match(/es\(edit of/g)).toHaveLength(60);
  });

  it('of what was written in the pause stays out', async () => {
    await scene.watches.set(linked());
    await pauseAfter(1, SPANISH, true);
    const { ref } = await sayAfter(2, ENGLISH, 'hello');
    await scene.idle();
    await edit(ref, 'hello there');
    expect(await waiting()).toEqual([]);
    await pauseAfter(3, SPANISH, false);
    await later();
    expect(spanish()).not.toContain('hello');
  });

  it('waits also where the row of its message was cleared', async () => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.store.write((db) => db.deleteFrom('inbox').execute());
    await pauseAfter(24 * 8, SPANISH, true);
    await edit(ref, 'hello there');
    expect(spanish()).toContain('es(hello)');
    await pauseAfter(24 * 9, SPANISH, false);
    await later();
    expect(spanish()).toContain('es(hello there)');
  });
});

describe('an edit that was made while a channel elsewhere was muted or paused for all', () => {
  const setUp = async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
    const said = await scene.say(THERE, 'before', { author: person('bob') });
    await scene.idle();
    return said.ref;
  };
  it.each(['mute', 'hold'] as const)('changes the copies once that is over: %s', async (what) => {
    const ref = await setUp();
    after(1);
    await scene.watches[what](ENGLISH, 'other 42', true);
    await scene.listener.messageChanged(scene.other.edit(ref, 'changed'));
    await later();
    expect(scene.feed.texts(ENGLISH).join()).not.toContain('changed');
    after(2);
    await scene.watches[what](ENGLISH, 'other 42', false);
    await later();
    expect(scene.feed.texts(ENGLISH).join()).toContain('en(changed)');
    expect(spanish()).toContain('es(changed)');
  });

  it('waits for the end of another mute that begins before it could be translated', async () => {
    const ref = await setUp();
    const mute = (isMuting: boolean) => scene.watches.mute(ENGLISH, 'other 42', isMuting);
    after(1);
    await mute(true);
    scene.clock.aheadMs += 1;
    await scene.listener.messageChanged(scene.other.edit(ref, 'changed'));
    after(2);
    scene.poisoned.add('changed');
    await mute(false);
    await later();
    await mute(true);
    scene.poisoned.clear();
    for (let minutes = 0; minutes < 5; minutes += 1) await later();
    expect(scene.feed.texts(ENGLISH).join()).not.toContain('en(changed)');
    after(3);
    await mute(false);
    await later();
    expect(scene.feed.texts(ENGLISH).join()).toContain('en(changed)');
  });

  it('stays out where a side has not agreed to the link', async () => {
    const ref = await setUp();
    const unagreed = { [`${SPACE.platform} ${SPACE.id}`]: { fromMs: Date.now() + HOUR_MS } };
    const [watch] = scene.watches.list(THERE.space);
    await scene.watches.change(THERE, () => ({ ...watch!, choices: { unagreed } }));
    after(2);
    await scene.listener.messageChanged(scene.other.edit(ref, 'changed'));
    await later();
    expect(await waiting()).toEqual([]);
    expect(spanish()).toContain('es(before)');
  });
});
