import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { openSpaceData } from '../../../src/store/privacy/space-data.ts';
import { openStore } from '../../../src/store/index.ts';
import { channel, person, SPACE } from '../../fakes/channel-feed.ts';
import { mirrorOf, openTestAutoTranslate, watchOf } from '../../fakes/autotranslate.ts';
import { audio, GENERAL, withScene, WORKSPACE } from './support.ts';

describe('people’s words', () => {
  const scene = withScene([watchOf(GENERAL)]);

  it('are not kept once the outcome is reached', async () => {
    await scene.say(GENERAL, 'a secret');
    await scene.idle();
    const rows = await scene.store.selectFrom('inbox').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it('are neither translated nor stored of those who opted out', async () => {
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'ada' }, true);
    const { ref } = await scene.say(GENERAL, 'not for you');
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped opted-out' });
    expect(scene.feed.texts(GENERAL)).toHaveLength(1);
  });

  it('of somebody who opts out while they wait are neither translated nor told of', async () => {
    const gate = scene.hold('wait');
    await scene.say(GENERAL, 'wait');
    await scene.say(GENERAL, 'mine', { author: person('bob') });
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'bob' }, true);
    await scene.forget({ platform: SPACE.platform, id: 'bob' });
    gate();
    await scene.idle();
    await scene.say(GENERAL, 'later');
    await scene.idle();
    expect(scene.contexts.get('later')).toEqual(['ada: wait']);
  });

  it('are not in the database’s files once they are cleared', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-words-'));
    const store = await openStore(`sqlite:${join(folder, 'words.db')}`);
    const watching = await openTestAutoTranslate(store);
    watching.attach(scene.feed.platform);
    await watching.watches.set([watchOf(GENERAL)]);
    for (let at = 0; at < 20; at += 1)
      await watching.listener.messageChanged(scene.feed.say(GENERAL, `confidential matter ${at}`));
    await watching.idle();
    await watching.forget({ platform: SPACE.platform, id: 'nobody' });
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name)).includes('confidential')).toBe(false);
    await watching[Symbol.asyncDispose]();
    await store.destroy();
    rmSync(folder, { recursive: true });
  });

  it('are exported and deleted with the rows of flags under their copies on another platform', async () => {
    const there = channel('there', undefined, WORKSPACE);
    await scene.watches.set(mirrorOf([GENERAL, 'en'], [there, 'es']));
    await scene.say(GENERAL, 'my secret');
    await scene.idle();
    const [copy] = scene.other.messages(there);
    const gate = scene.hold('my secret');
    await scene.listener.reactionChanged(copy!.ref, '🇫🇷', true);
    const ada = { platform: SPACE.platform, id: 'ada' };
    const rows = async () =>
      JSON.stringify(await scene.store.selectFrom('inbox').selectAll().execute());
    expect(await rows()).toContain('my secret');
    expect(String(await scene.privacy.export(ada))).toContain('flag:fr');
    await scene.privacy.forget(ada);
    await scene.forget(ada);
    gate();
    await scene.idle();
    expect(await rows()).not.toContain('my secret');
    expect(scene.other.texts(there)).toHaveLength(1);
  });

  it('are told to no translator any more once somebody is to be forgotten', async () => {
    await scene.say(GENERAL, 'mine', { author: person('bob') });
    await scene.idle();
    await scene.forget({ platform: SPACE.platform, id: 'bob' });
    await scene.say(GENERAL, 'later');
    await scene.idle();
    expect(scene.contexts.get('later')).toEqual([]);
  });

  it('that were read lately are not kept once somebody is to be forgotten, a space is left, or its glossary changes', async () => {
    const store = await openStore('sqlite::memory:');
    const { messages, ...watching } = await openTestAutoTranslate(store);
    watching.attach(scene.feed.platform);
    const read = scene.feed.say(GENERAL, 'mine');
    const { translations } = messages;
    const keep = () =>
      translations.begin()(read, 'es', {
        text: read.text,
        from: 'en',
        to: 'es',
        outcome: 'translated',
      });
    const events = [
      () => watching.forget({ platform: SPACE.platform, id: 'ada' }),
      async () => watching.forgetAll(),
      () => store.write((db) => store.signals.publish(db, 'glossary', SPACE)),
      async () => (await openSpaceData(store)).leave(SPACE),
    ];
    const other = { ...SPACE, id: 'other' };
    for (const event of events) {
      keep();
      await store.write((db) => store.signals.publish(db, 'glossary', other));
      expect(translations.of(read, 'es')).toBeDefined();
      await event();
      expect(translations.of(read, 'es')).toBeUndefined();
    }
    await watching[Symbol.asyncDispose]();
    await store.destroy();
  });

  it('are not posted of somebody who is forgotten, though they were translated already', async () => {
    const bob = { platform: SPACE.platform, id: 'bob' };
    const wait = { retryable: true, retryAfterMs: 60_000 };
    scene.feed.fail({ call: 'create', error: new AppError('rate-limited', 'later', wait) });
    const { ref } = await scene.say(GENERAL, 'mine', { author: person('bob') });
    await scene.idle();
    expect(scene.feed.calls).toContain('create');
    await scene.privacy.forget(bob);
    await scene.forget(bob);
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped forgotten' });
    expect(scene.feed.texts(GENERAL)).toEqual(['mine']);
  });

  it('are not posted of somebody who opts out, though they were translated already', async () => {
    const bob = { platform: SPACE.platform, id: 'bob' };
    const wait = { retryable: true, retryAfterMs: 30_000 };
    scene.feed.fail({ call: 'create', error: new AppError('rate-limited', 'later', wait) });
    const { ref } = await scene.say(GENERAL, 'mine', { author: person('bob') });
    await scene.idle();
    expect(scene.feed.calls).toContain('create');
    await scene.privacy.setOptedOut(bob, true);
    await scene.forget(bob);
    await scene.later();
    expect(scene.feed.texts(GENERAL)).toEqual(['mine']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped opted-out' });
  });

  it('count as theirs again when they write anew', async () => {
    const bob = { platform: SPACE.platform, id: 'bob' };
    const go = scene.hold('before');
    const { ref } = await scene.say(GENERAL, 'before', { author: person('bob') });
    await scene.privacy.forget(bob);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    expect(Buffer.from(await scene.privacy.export(bob)).toString()).toContain('"after"');
    await scene.privacy.forget(bob);
    await scene.forget(bob);
    go();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after']);
  });

  it('are left where they stand of somebody who is forgotten', async () => {
    const { ref } = await scene.say(GENERAL, 'before');
    await scene.idle();
    const finish = scene.hold('after');
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    const ada = { platform: SPACE.platform, id: 'ada' };
    await scene.privacy.forget(ada);
    await scene.forget(ada);
    finish();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(before)']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped forgotten' });
  });

  it('are not carried over of somebody who opts out while files of others are', async () => {
    const channels = ['a', 'b', 'c'].map((id) => channel(id));
    await scene.watches.set(channels.map((one) => watchOf(one, { mode: 'thread' })));
    const opening = Promise.withResolvers<void>();
    let held = 0;
    for (const [at, one] of channels.entries()) {
      scene.feed.during('create', () => {
        held += 1;
        return opening.promise;
      });
      const files = [{ ...audio('x'), mediaType: 'text/plain' }];
      await scene.say(one, `look ${at}`, { author: person(`person ${at}`), files });
    }
    await expect.poll(() => held).toBe(2);
    const last = { platform: SPACE.platform, id: 'person 2' };
    await scene.privacy.setOptedOut(last, true);
    await scene.forget(last);
    opening.resolve();
    await scene.idle();
    expect(scene.feed.texts(channel('c/🇪🇸 español'))).toEqual([]);
    expect(scene.feed.texts(channel('b/🇪🇸 español'))).toHaveLength(1);
  });
});
